// relyant: --property no-data-race
// A store of an atomic struct that releases orders what an acquire follows.
#include <pthread.h>
#include <stdatomic.h>
struct pair { int full, n; };
_Atomic struct pair p;
int data;
void *worker(void *arg) {
    struct pair new = {1, 2};
    data = 1;
    atomic_store_explicit(&p, new, memory_order_release);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    struct pair seen = atomic_load_explicit(&p, memory_order_acquire);
    if (seen.full)
        data = 2;
}
