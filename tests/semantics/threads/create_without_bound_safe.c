// Threads created in a loop, as many as one likes.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;
int nondet_int(void);
void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    inside = inside + 1;
    assert(inside <= 3);
    inside = inside - 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    while (nondet_int())
        pthread_create(&t, 0, worker, 0);
}
