// A wait on a semaphore at 0 waits for a post.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int x;
void *worker(void *arg) {
    (void)arg;
    x = 1;
    sem_post(&s);
    return 0;
}
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, worker, 0);
    sem_wait(&s);
    assert(x == 1);
}
