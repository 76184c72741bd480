// relyant: --ilp32
// `long` and pointers have 32 bits.
#include <assert.h>
int main(void) {
    unsigned long x = 0xffffffffUL;
    x = x + 1;
    assert(sizeof(long) == 4 && sizeof(void *) == 4);
    assert(x != 0);
}
