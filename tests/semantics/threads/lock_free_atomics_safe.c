// assumes: every memory order is sequentially consistent
// Fences with any order; questions about the machine.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int ready;
int data;
void *worker(void *arg) {
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(data == 1);
    }
}
