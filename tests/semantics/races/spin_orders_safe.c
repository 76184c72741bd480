// relyant: --property no-data-race
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock;
int data;
void *work(void *p) {
    int free = 0;
    while (!atomic_compare_exchange_weak_explicit(&lock, &free, 1, memory_order_acquire, memory_order_relaxed))
        free = 0;
    data++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    return 0;
}
