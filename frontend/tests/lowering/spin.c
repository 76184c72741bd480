// safe
#include <assert.h>
#include <pthread.h>
static pthread_spinlock_t s;
static int n;
static void *user(void *a)
{
    pthread_spin_lock(&s);
    n++;
    assert(n == 1);
    n--;
    pthread_spin_unlock(&s);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_spin_init(&s, 0);
    pthread_create(&t, 0, user, 0);
    user(0);
    return 0;
}
