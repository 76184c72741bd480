// Unsigned arithmetic wraps at its width.
#include <assert.h>
unsigned nondet_uint(void);
int main(void) {
    unsigned n = nondet_uint();
    unsigned short s = 65535;
    s++;
    assert(s == 0);
    assert(n + 1 > n || n == 2147483647);
    assert(n - n == 0 && 0u - 1 == 4294967295u);
}
