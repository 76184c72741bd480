// Waiting on a condition variable releases the mutex, and takes it again before it returns.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, inside;
void *producer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    inside = 1;
    ready = 1;
    inside = 0;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    assert(inside == 1);
}
