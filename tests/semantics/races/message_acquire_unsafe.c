// relyant: --property no-data-race
// assumes: every memory order is sequentially consistent
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag;
int data;
void *send(void *p) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, send, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        data = 2;
    return 0;
}
