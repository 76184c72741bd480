// A mutex that is a local of main.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    pthread_mutex_t *m = arg;
    pthread_mutex_lock(m);
    x = 1;
    x = 0;
    pthread_mutex_unlock(m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&t, 0, worker, &m);
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
