// relyant: --property no-data-race
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *one(void *p) {
    int seen = 0;
    atomic_compare_exchange_strong(&x, &seen, 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
