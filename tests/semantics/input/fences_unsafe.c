// Barriers and pauses do nothing that a program sees.
#include <assert.h>
int x;
int main(void) {
    __asm__ volatile("mfence" ::: "memory");
    x = 1;
    asm volatile("rep; nop");
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    assert(x == 0);
}
