// relyant: --property no-data-race
// violation: data race on `seen`
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int seen;
void *one(void *p) {
    atomic_compare_exchange_strong(&x, &seen, 1);
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, one, 0);
    pthread_create(&c, 0, one, 0);
    return 0;
}
