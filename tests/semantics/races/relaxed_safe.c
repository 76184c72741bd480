// relyant: --property no-data-race
// assumes: every memory order is sequentially consistent
#include <pthread.h>
#include <stdatomic.h>
atomic_int calls;
int data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *p) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    data++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    if (atomic_load_explicit(&calls, memory_order_relaxed) == 2)
        data = 0;
    return 0;
}
