// A bit-field holds as many bits, and promotes to int.
#include <assert.h>
struct f { unsigned a : 3; int b : 4; unsigned c : 1; };
int main(void) {
    struct f s = {0};
    s.a = 9;
    assert(s.a == 1);
    s.b = 7;
    s.b++;
    assert(s.b == -8);
    s.c = 1;
    assert(s.a - 2 < 0);
    s.a--;
    s.a--;
    assert(s.a == 7 && s.c == 1);
}
