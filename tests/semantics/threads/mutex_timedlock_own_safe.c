// The owner of a normal mutex waits until the time is over; that of an errorcheck one is told.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int main(void) {
    struct timespec until = {5, 0};
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&e);
    int a = pthread_mutex_timedlock(&m, &until), b = pthread_mutex_timedlock(&e, &until);
    assert(a == ETIMEDOUT);
    assert(b == EDEADLK);
}
