// A trylock gives EBUSY where the mutex is taken, by whomever, and 0 where it takes it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *worker(void *arg) {
    (void)arg;
    int r = pthread_mutex_trylock(&m);
    assert(r == 0 || r == EBUSY);
    if (1) {
        x++;
        assert(x == 1);
        x--;
        if (!r)
            pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
