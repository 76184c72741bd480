// The owner of a recursive mutex takes it again; it is free after as many unlocks.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m;
int x;
void *other(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_mutexattr_t a;
    pthread_t t;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    pthread_mutexattr_destroy(&a);
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    x = 0;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
