// safe
#include <assert.h>
enum colour { RED, GREEN = 5, BLUE };
enum sign { MINUS = -1, PLUS = 1 };
int main(void)
{
    enum colour c = BLUE;
    enum sign s = MINUS;
    assert(c == 6 && c - 7 > 0 && s < 0);
    short h = 300;
    char b = h;
    assert(b == 44);
    unsigned char u = h;
    u <<= 2;
    assert(u == 176);
    h %= 7;
    assert(h == 6);
    b -= 200;
    assert(b == 100);
    long l = -1;
    unsigned i = l;
    assert(i == 0xffffffffu && l != i && (int)i == -1);
    int *p = 0, *q = &(int){ 3 };
    assert((p ? 1 : *q) == 3);
    assert((1 ? -1 : 1u) > 0);
    int x = 5, y = x ? x > 3 ? 10 : 20 : 30;
    assert(y == 10);
    x = y = 7, y++;
    assert(x == 7 && y == 8);
    return !(x & 1) || ~x == 3;
}
