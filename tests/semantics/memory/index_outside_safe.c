// An access outside of its array is undefined: it never reaches another object.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int a[3], b;
int main(void) {
    int i = __VERIFIER_nondet_int();
    a[i] = 1;
    assert(b == 0);
}
