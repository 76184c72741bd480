// A barrier for three; only one is serial.
#include <assert.h>
#include <pthread.h>
pthread_barrier_t b;
int arrived, serial;
void *worker(void *arg) {
    __sync_fetch_and_add(&arrived, 1);
    int r = pthread_barrier_wait(&b);
    if (r == PTHREAD_BARRIER_SERIAL_THREAD)
        __sync_fetch_and_add(&serial, 1);
    assert(arrived == 3 && serial <= 1);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_barrier_init(&b, 0, 3);
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(serial == 0);
}
