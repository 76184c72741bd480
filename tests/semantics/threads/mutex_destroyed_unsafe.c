// A mutex destroyed and made again is free.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int main(void) {
    pthread_mutex_t m;
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    int r = pthread_mutex_trylock(&m);
    assert(r == 0);
}
