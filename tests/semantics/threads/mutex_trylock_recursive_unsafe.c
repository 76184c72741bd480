// A trylock by the owner of a recursive mutex succeeds.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int main(void) {
    int r = pthread_mutex_lock(&m);
    assert(r == 0);
    r = pthread_mutex_trylock(&m);
    assert(r == EBUSY);
}
