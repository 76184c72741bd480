// An instruction with a lock is one step, one without is not.
#include <assert.h>
#include <pthread.h>
static long word;
static void *run(void *arg)
{
    long nr = 1;
    __asm__ volatile("bts %1,%0" : "+m"(word) : "Ir"(nr) : "memory");
    return 0;
}
int main(void)
{
    pthread_t t;
    long nr = 2;
    pthread_create(&t, 0, run, 0);
    __asm__ volatile("bts %1,%0" : "+m"(word) : "Ir"(nr) : "memory");
    pthread_join(t, 0);
    assert(word == 6);
}
// compiled: no thread comes between the read and the write of one instruction
