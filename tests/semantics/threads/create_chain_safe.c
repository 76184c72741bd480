// Each thread creates the next one, without bound.
#include <assert.h>
#include <pthread.h>
int n;
int nondet_int(void);
void *worker(void *arg) {
    pthread_t t;
    if (n < 3)
        n = n + 1;
    assert(n <= 3);
    if (nondet_int())
        pthread_create(&t, 0, worker, arg);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
}
