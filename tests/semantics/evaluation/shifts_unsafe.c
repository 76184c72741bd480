// Shifts by constants and by variables.
#include <assert.h>
unsigned nondet_uint(void);
int main(void) {
    unsigned n = nondet_uint(), k = n % 4;
    assert((1u << k) >= 1 && (1u << k) <= 4);
    assert(((n << 4) & 15) == 0);
    assert(n >> 31 <= 1);
    int minus = -8;
    assert(minus >> 1 == -4);
}
