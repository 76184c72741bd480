// Of ten threads one may find the counter as another one has just left it, without the lock.
#include <assert.h>
#include <pthread.h>
#define THREADS 10
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;
static void *enter(void *none)
{
    inside++;
    assert(inside == 1);
    inside--;
    return none;
}
int main(void)
{
    pthread_t all[THREADS];
    for (int k = 0; k < THREADS; k++)
        pthread_create(&all[k], NULL, enter, NULL);
    for (int k = 0; k < THREADS; k++)
        pthread_join(all[k], NULL);
    return 0;
}
