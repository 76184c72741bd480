// Elements of a block are no objects of their own: three scalars each, they lie at odd places here.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int a, b, c; };
int main(void) {
    struct node *all = malloc(4 * sizeof *all);
    struct node *p = &all[__VERIFIER_nondet_int() & 3];
    assert(((uintptr_t)p & 1) == 0);
}
