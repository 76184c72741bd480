// What is expected may be shared: it is read before, and written after, the exchange.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int c = 5;
int expected = 4;
void *worker(void *arg) {
    int seen = expected;
    assert(seen == 4 );
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int ok = atomic_compare_exchange_strong(&c, &expected, 6);
    assert(!ok && c == 5);
    pthread_join(t, 0);
}
