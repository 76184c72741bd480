// A timed lock gives ETIMEDOUT where the mutex stays taken, and 0 where it takes it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;
void *worker(void *arg) {
    struct timespec until = {5, 0};
    (void)arg;
    int r = pthread_mutex_timedlock(&m, &until);
    if (r == ETIMEDOUT)
        return 0;
    inside++;
    assert(inside == 1);
    inside--;
    if (r == 0)
        pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
