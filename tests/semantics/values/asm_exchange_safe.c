// real: yes
// An exchange of low bytes leaves the others.
#include <assert.h>
int main(void)
{
    unsigned int a = 0x11223344, b = 0x55667788;
    __asm__ volatile("xchgb %b0, %1\n" : "+q"(a), "+m"(b) : : "memory");
    assert(a == 0x11223388 && b == 0x55667744);
    __asm__ volatile("xchgl %0, %1\n" : "+r"(a), "+m"(b) : : "memory");
    assert(a == 0x55667744 && b == 0x11223388);
}
