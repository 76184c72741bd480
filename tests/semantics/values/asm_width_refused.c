// Without a letter for its width, and without a register, the instruction is one on 32 bits.
#include <assert.h>
int main(void)
{
    long x = -1;
    __asm__ volatile("lock; add $1,%0" : "+m"(x));
    assert(x == 0);
    return 0;
}
