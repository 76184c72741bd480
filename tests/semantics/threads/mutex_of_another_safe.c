// assumes: a normal mutex or a spin lock is unlocked only by the thread that holds it
// Unlocking a normal mutex of another thread is assumed not to happen.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *other(void *arg) {
    pthread_mutex_unlock(&m);
    assert(x == 0);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    x = 1;
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    pthread_mutex_unlock(&m);
}
