// Spin locks exclude; a trylock that fails gives EBUSY.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_spinlock_t l;
int x;
void *worker(void *arg) {
    (void)arg;
    pthread_spin_lock(&l);
    x = 1;
    int r = pthread_spin_trylock(&l);
    assert(r == EBUSY);
    x = 0;
    pthread_spin_unlock(&l);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, 0, worker, 0);
    assert(x == 0);
}
