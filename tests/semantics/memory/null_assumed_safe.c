// A null access is assumed absent.
#include <assert.h>
int nondet_int(void);
int x;
int main(void) {
    int *p = 0;
    if (nondet_int())
        p = &x;
    *p = 1;
    assert(p == &x);
}
