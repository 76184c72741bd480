// Two arrays get the same values under a lock, by any number of threads.
#include <assert.h>
#include <pthread.h>
#define PLACES 100
int __VERIFIER_nondet_int(void);
int left[PLACES], right[PLACES];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *store(void *p) {
    int i = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
    if (i < 0 || i >= PLACES)
        return 0;
    pthread_mutex_lock(&lock);
    left[i] = x;
    right[i] = x;
    pthread_mutex_unlock(&lock);
    return 0;
}
void *compare(void *p) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= PLACES)
        return 0;
    pthread_mutex_lock(&lock);
    assert(left[i] == right[i]);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, 0, store, 0);
    pthread_create(&t, 0, compare, 0);
}
