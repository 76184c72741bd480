// A timed wait gives 0 or ETIMEDOUT, at any time.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
    struct timespec until = {1, 0};
    pthread_mutex_lock(&m);
    int r = pthread_cond_timedwait(&c, &m, &until);
    assert(r == 0 || r == ETIMEDOUT);
    pthread_mutex_unlock(&m);
}
