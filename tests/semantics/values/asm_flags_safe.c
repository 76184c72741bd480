// The flags of the processor are any value; to turn interrupts off keeps no thread from running.
#include <assert.h>
#include <pthread.h>
static int n;
static void *run(void *arg)
{
    n = 1;
    return 0;
}
int main(void)
{
    unsigned long flags;
    int before;
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    __asm__ volatile("# raw_save_flags\n\tpushf ; pop %0" : "=rm"(flags) : : "memory");
    __asm__ volatile("cli" : : : "memory");
    before = n;
    assert(n >= before);
    __asm__ volatile("push %0 ; popf" : : "g"(flags) : "memory", "cc");
    return 0;
}
