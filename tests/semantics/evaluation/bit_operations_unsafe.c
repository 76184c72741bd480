// Masks of low bits, and bits of constants.
#include <assert.h>
unsigned nondet_uint(void);
int main(void) {
    unsigned n = nondet_uint();
    assert((n & 7) < 8 && (n | 1) % 2 == 1);
    assert((n & 7) <= 6);
    int a = 12, b = 10;
    assert((a & b) == 8 && (a | b) == 14 && (a ^ b) == 6 && ~a == -13);
}
