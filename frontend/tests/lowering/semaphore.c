// safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t full;
static int item;
static void *producer(void *a) { item = 3; sem_post(&full); return a; }
int main(void)
{
    pthread_t t;
    int n;
    sem_init(&full, 0, 0);
    pthread_create(&t, 0, producer, 0);
    sem_wait(&full);
    assert(item == 3);
    sem_getvalue(&full, &n);
    assert(n == 0);
    assert(sem_trywait(&full) == -1);
    return 0;
}
