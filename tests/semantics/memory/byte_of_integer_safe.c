// real: yes
// Bytes of an integer, the lowest one first.
#include <assert.h>
struct s { long first; short second; } s = {0x0102030405060708, -2};
int main(void) {
    int x = -1;
    unsigned char *unused = 0;
    assert(((unsigned char *)&x)[3] == 255 && ((signed char *)&x)[3] == -1 && *(char *)&x == -1);
    ((unsigned char *)&x)[1] = 3;
    assert(x == -64513);
    ((char *)&x)[3] = 0;
    assert(x == 0xff03ff);
    ((unsigned char *)&x)[0] += 2;
    assert(x == 0xff0301 && *((unsigned char *)&x + 1) == 3);
    *(unsigned char *)&x ^= 3;
    assert((((unsigned char *)&x)[0]++, x == 0xff0303));
    assert(((char *)&s.first)[7] == 1 && *((char *)&s.first + 2) == 6 && ((char *)&s.second)[0] == -2);
    assert((((char *)&s.second)[1] = 1) == 1 && s.second == 0x1fe && s.first == 0x0102030405060708);
    (void)*(char *)&x;
    return unused != 0;
}
