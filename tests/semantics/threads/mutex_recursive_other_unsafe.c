// An unlock of a recursive mutex by a thread that does not hold it fails and changes nothing.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
void *other(void *arg) {
    int r = pthread_mutex_unlock(&m);
    assert(r == EPERM);
    r = pthread_mutex_trylock(&m);
    assert(r == 0);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    pthread_mutex_unlock(&m);
}
