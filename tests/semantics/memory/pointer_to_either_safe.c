// A pointer that may point to either of two objects: a write through it changes the one it points to.
#include <assert.h>
int nondet_int(void);
int a, b;
int main(void) {
    int *p = nondet_int() ? &a : &b;
    *p = 1;
    assert(a + b == 1);
    assert(a == 0 || b == 0);
}
