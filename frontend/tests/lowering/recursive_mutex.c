// safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, e;
static int inside;
static void *other(void *a)
{
    if (pthread_mutex_trylock(&r) == 0) {
        assert(!inside);
        pthread_mutex_unlock(&r);
    } else {
        assert(pthread_mutex_trylock(&r) == EBUSY || 1);
    }
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&e, &kind);
    assert(pthread_mutex_unlock(&e) == EPERM);
    assert(pthread_mutex_lock(&e) == 0 && pthread_mutex_lock(&e) == EDEADLK);
    assert(pthread_mutex_unlock(&e) == 0);
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    inside = 1;
    pthread_mutex_unlock(&r);
    inside = 0;
    pthread_mutex_unlock(&r);
    return 0;
}
