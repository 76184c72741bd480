// A trylock by the owner of a normal mutex fails.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int main(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int r = pthread_mutex_trylock(&m);
    assert(r == 0);
    r = pthread_mutex_trylock(&m);
    assert(r == EBUSY);
}
