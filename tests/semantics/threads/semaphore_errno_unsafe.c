// A trywait that fails sets errno to EAGAIN, in its own thread.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
sem_t s;
void *worker(void *arg) {
    (void)arg;
    errno = 77;
    return 0;
}
int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    sem_init(&s, 0, 0);
    errno = 0;
    int r = sem_trywait(&s);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(r == -1 && errno == 77);
    r = sem_timedwait(&s, &until);
    assert(r == -1 && errno == ETIMEDOUT);
}
