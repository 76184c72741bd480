// relyant: --property no-data-race
// Accesses to an atomic struct are atomic, and order what comes before and after them.
#include <pthread.h>
#include <stdatomic.h>
struct pair { int full, n; };
_Atomic struct pair p;
int data;
void *worker(void *arg) {
    struct pair old = p, new = {1, 2};
    data = 1;
    if (atomic_compare_exchange_strong_explicit(&p, &old, new, memory_order_acq_rel, memory_order_acquire))
        new = old;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    struct pair seen = atomic_load(&p);
    if (seen.full)
        data = 2;
    else
        atomic_store(&p, seen);
}
