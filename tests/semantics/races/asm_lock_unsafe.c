// relyant: --property no-data-race
// An instruction with a lock is an atomic access, and orders what is around it; without, it is none.
#include <pthread.h>
static int users = 2, data, plain;
static int is_last(int *p)
{
    unsigned char c;
    __asm__ volatile("lock; subl $1,%0; sete %1" : "+m"(*p), "=qm"(c) : : "memory");
    return c;
}
static void *run(void *arg)
{
    __asm__ volatile("incl %0" : "+m"(plain));
    if (arg)
        data = 1;
    if (is_last(&users))
        data++;
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, run, &t);
    pthread_create(&u, 0, run, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
