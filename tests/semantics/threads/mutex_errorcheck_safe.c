// An errorcheck mutex: EDEADLK for the owner that locks again, EPERM for an unlock by another.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_mutex_t m;
void *other(void *arg) {
    (void)arg;
    int r = pthread_mutex_unlock(&m);
    assert(r == EPERM);
    return 0;
}
int main(void) {
    pthread_mutexattr_t a;
    pthread_t t;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    int r = pthread_mutex_lock(&m);
    assert(r == 0);
    r = pthread_mutex_lock(&m);
    assert(r == EDEADLK);
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    r = pthread_mutex_unlock(&m);
    assert(r == 0);
    r = pthread_mutex_unlock(&m);
    assert(r == EPERM);
}
