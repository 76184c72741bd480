// `long` and pointers have 64 bits.
#include <assert.h>
int main(void) {
    unsigned long x = 0xffffffffUL;
    x = x + 1;
    assert(sizeof(long) == 8 && sizeof(void *) == 8);
    assert(x == 0);
}
