// safe
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t b;
static int here[2];
static void *side(void *a)
{
    here[1] = 1;
    pthread_barrier_wait(&b);
    assert(here[0] >= 1);
    pthread_barrier_wait(&b);
    here[1] = 2;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, side, 0);
    here[0] = 1;
    pthread_barrier_wait(&b);
    assert(here[1] == 1);
    pthread_barrier_wait(&b);
    pthread_join(t, 0);
    assert(here[1] == 2);
    return 0;
}
