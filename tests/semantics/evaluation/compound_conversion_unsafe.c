// Compound assignment computes in the common type and converts back.
#include <assert.h>
int main(void) {
    signed char b = 100;
    int a = 300;
    b /= a;
    assert(b == 0);
    unsigned char c = 200;
    c += 100;
    assert(c == 300);
    int i = -7;
    i /= 2u;
    assert(i == 2147483644);
    unsigned char s = 1;
    s <<= 9;
    assert(s == 0);
}
