// C11's fetch operations give the old value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int c, ones;
void *worker(void *arg) {
    (void)arg;
    int old = atomic_fetch_add(&c, 1);
    assert(old >= 0 && old <= 1);
    if (old == 1)
        atomic_fetch_add_explicit(&ones, 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(atomic_load(&ones) == 0);
    int a = atomic_fetch_sub(&c, 1), b = atomic_fetch_or(&c, 6), d = atomic_fetch_and(&c, 3);
    int e = atomic_fetch_xor(&c, 1), f = atomic_exchange(&c, 9);
    assert(a == 2 && b == 1 && d == 7 && e == 3 && f == 2 && c == 9);
    atomic_store(&c, 4);
    assert(c == 4);
}
