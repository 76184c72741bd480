// A barrier lets nobody pass before all have come; one of them is told to be the serial one.
#include <assert.h>
#include <pthread.h>
pthread_barrier_t b;
int arrived, serial;
void *worker(void *arg) {
    (void)arg;
    __sync_fetch_and_add(&arrived, 1);
    int r = pthread_barrier_wait(&b);
    assert(arrived == 2);
    if (r == PTHREAD_BARRIER_SERIAL_THREAD)
        __sync_fetch_and_add(&serial, 1);
    else
        assert(r == 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 1);
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(serial == 1);
}
