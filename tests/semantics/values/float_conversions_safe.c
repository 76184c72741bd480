// Integers become the nearest value, 16777217 is no float, and not a number equals nothing.
#include <assert.h>

float f;
double d;
unsigned char narrow;

int main(void) {
    f = 16777217;
    assert(f == 16777216.0f);
    d = 16777217;
    assert(d == 16777217);
    d = 0;
    d = d / d;
    assert(d != d && !(d < 1) && !(d >= 1));
    if (d)
        narrow = 200.7;
    assert(narrow == 200);
    assert(1 / 2 == 0 && 1 / 2.0 == 0.5 && (1 ? 1 : 2.0) / 2 == 0.5);
    assert((_Bool)0.3 == 1 && sizeof(f + 1) == 4 && sizeof(f + 1.0) == 8);
    return 0;
}
