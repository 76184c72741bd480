// Timed read and write locks.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
    struct timespec until = {5, 0};
    int a = pthread_rwlock_timedrdlock(&l, &until), b = pthread_rwlock_timedrdlock(&l, &until);
    assert(a == 0 && b == 0);
    int c = pthread_rwlock_timedwrlock(&l, &until);
    assert(c == 0);
}
