// Ten threads from one loop are like any number: what each does under the lock is seen by none.
#include <assert.h>
#include <pthread.h>
#define THREADS 10
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;
static void *enter(void *none)
{
    pthread_mutex_lock(&lock);
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&lock);
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
