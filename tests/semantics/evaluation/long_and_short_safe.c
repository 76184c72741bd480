// Arithmetic of mixed widths.
#include <assert.h>
int main(void) {
    short s = 30000;
    int i = s + s;
    assert(i == 60000);
    s = (short)i;
    assert(s == -5536);
    long l = 1L << 40;
    i = (int)l;
    assert(i == 0 && (unsigned char)(i - 1) == 255);
    unsigned u = 1;
    assert(-(long)u < 0 && -u > 0);
}
