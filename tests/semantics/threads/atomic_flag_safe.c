// A lock of atomic_flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_flag lock = ATOMIC_FLAG_INIT;
int x;
void *worker(void *arg) {
    (void)arg;
    while (atomic_flag_test_and_set(&lock)) ;
    x++;
    atomic_flag_clear_explicit(&lock, memory_order_seq_cst);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(x == 2);
}
