// A semaphore lets as many pass as it counts; a post lets one more.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int inside;
void *worker(void *arg) {
    (void)arg;
    sem_wait(&s);
    int n = __sync_add_and_fetch(&inside, 1);
    assert(n == 1);
    __sync_fetch_and_sub(&inside, 1);
    sem_post(&s);
    return 0;
}
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
