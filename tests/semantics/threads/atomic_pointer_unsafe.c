// An atomic pointer, published by compare-exchange.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int a = 1, b = 2;
int *_Atomic shared;
void *worker(void *arg) {
    int *expected = 0;
    if (atomic_compare_exchange_strong(&shared, &expected, (int *)arg))
        assert(shared == arg);
    else
        assert(expected == &a || expected == &b);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, &a);
    worker(&b);
    int *p = atomic_load(&shared);
    assert(*p == 2 );
}
