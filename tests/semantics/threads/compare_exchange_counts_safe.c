// A loop of compare-exchanges loses no increment; a load and a store do.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int c;
void *worker(void *arg) {
    (void)arg;
    int old = atomic_load(&c);
    while (!atomic_compare_exchange_weak(&c, &old, old + 1)) ;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(c == 2);
}
