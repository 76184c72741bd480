// Builtins that tell of overflow, of signed, unsigned and mixed types.
#include <assert.h>
int main(void) {
    int r;
    unsigned char c;
    unsigned u;
    assert(__builtin_add_overflow(2147483647, 1, &r) && r == -2147483647 - 1);
    assert(!__builtin_mul_overflow(1000, 1000, &r) && r == 1000000);
    assert(__builtin_add_overflow(200, 100, &c) && c == 255);
    assert(__builtin_sub_overflow(1u, 2u, &u) && u == 4294967295u);
    assert(!__builtin_sub_overflow(1u, 2u, &r) && r == -1);
    assert(__builtin_smul_overflow(65536, 65536, &r) && !__builtin_uadd_overflow(1u, 2u, &u));
}
