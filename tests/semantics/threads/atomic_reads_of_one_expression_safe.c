// Two reads of an atomic object in one expression are two steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int a;
void *worker(void *arg) {
    a = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int n = a;
    assert(n == n);
}
