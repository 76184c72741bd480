// safe
#include <assert.h>
int main(void)
{
    unsigned char b = 250;
    b += 10;
    assert(b == 4);
    signed char s = -100;
    s -= 100;
    assert(s == 56);
    unsigned u = 0;
    u--;
    assert(u == 4294967295u && u > -2);
    assert(-7 / 2 == -3 && -7 % 2 == -1);
    assert((unsigned short)-1 == 65535);
    assert(-1 > 0u && (long)-1 < 0);
    assert((1u << 31) >> 31 == 1 && -8 >> 1 == -4);
    assert((0x0f ^ 0x3) == 0xc && (~0 & 5) == 5 && (8 | 1) == 9);
    assert('a' == 97 && '\n' == 10 && '\x41' == 65 && '\101' == 65);
    assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(char[3]) == 3 && sizeof 'a' == 4);
    assert(010 == 8 && 0xffffffff > 0 && 0b101 == 5);
    _Bool t = 7;
    assert(t == 1);
    long long big = 1LL << 40;
    assert((int)big == 0 && (int)(big >> 38) == 4);
    char c = 200;
    assert(c == -56);
    int i = 3;
    assert(i++ + 2 == 5 && i == 4 && --i == 3 && (i += 2, i) == 5);
    assert((i > 3 ? 10 : 20u) == 10 && !i == 0 && !!i == 1);
    return 0;
}
