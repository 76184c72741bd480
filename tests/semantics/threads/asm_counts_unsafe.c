// Words changed by instructions with a lock, with what they leave in registers and flags.
#include <assert.h>
#include <pthread.h>
static int count = 1, users = 3, owner, last, first, won;
static unsigned long bits[2];
static int is_last(int *p)
{
    unsigned char c;
    __asm__ volatile("lock; decl %0; sete %1" : "+m"(*p), "=qm"(c) : : "memory");
    return c != 0;
}
static int was_set(long nr, unsigned long *p)
{
    int old;
    __asm__ volatile("lock; bts %2,%1\n\tsbb %0,%0" : "=r"(old), "+m"(*(volatile long *)p) : "Ir"(nr) : "memory");
    return old;
}
static int exchange_if(int *p, int old, int new)
{
    int seen;
    __asm__ volatile("lock; cmpxchgl %2,%1" : "=a"(seen), "+m"(*p) : "r"(new), "0"(old) : "memory");
    return seen;
}
static void *run(void *arg)
{
    __asm__ volatile("lock; incl %0" : "+m"(count));
    __asm__ volatile("lock; addl %1,%0" : "+m"(count) : "ir"(5));
    if (is_last(&users))
        last++;
    if (!was_set(65, bits))
        first++;
    if (exchange_if(&owner, 0, 7) == 0)
        won++;
    return 0;
}
int main(void)
{
    pthread_t t, u;
    int n = -3;
    pthread_create(&t, 0, run, 0);
    pthread_create(&u, 0, run, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(count == 13 && users == 1 && last == 0);
    assert(first == 1 && bits[0] == 0 && bits[1] == 2);
    assert(won == 1 && owner == 7);
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(n), "+m"(count) : : "memory");
    assert(n == 10 && count == 10);
    return 0;
}
