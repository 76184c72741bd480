// The kind that a static initialiser gives.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int main(void) {
    pthread_mutex_lock(&m);
    int r = pthread_mutex_lock(&m);
    assert(r != 0);
}
