// Bytes and halves of a number, the low ones first; writing one leaves the others.
#include <assert.h>

union u {
    int i;
    unsigned char c[4];
    struct {
        short low, high;
    } s;
    struct {
        unsigned a : 3, b : 13;
    } bits;
} g;
extern int __VERIFIER_nondet_int(void);

int main(void) {
    g.i = 0x01020304;
    assert(g.c[0] == 4 && g.c[3] == 1 && g.s.low == 0x0304);
    g.s.high = -1;
    assert(g.i == (int)0xffff0304 && g.c[2] == 255);
    g.c[0] = 0x0f;
    assert(g.bits.a == 7 && g.bits.b == 0x61 && g.s.high == -1);
    g.bits.b = 0;
    assert(g.i == (int)0xffff0007);
    union u copy = g;
    int k = __VERIFIER_nondet_int();
    assert(k < 0 || k > 3 || copy.c[k] == (k == 0 ? 7 : k == 1 ? 0 : 255));
    return 0;
}
