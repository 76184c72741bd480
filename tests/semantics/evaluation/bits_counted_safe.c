// Builtins that count bits.
#include <assert.h>
_Bool nondet_bool(void);
int main(void) {
    unsigned n = nondet_bool() ? 6 : 0;
    int ones = __builtin_popcount(n), first = __builtin_ffs((int)n);
    assert(ones == first);
    assert(n != 6 || (ones == 2 && __builtin_ctz(n) == 1 && __builtin_clz(n) == 29));
    assert(__builtin_parity(7) == 1 && __builtin_popcountll(-1ll) == 64);
    assert(__builtin_bswap32(0x01020304) == 0x04030201);
}
