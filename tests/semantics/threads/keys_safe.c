// assumes: pthread calls succeed
// Each thread has its own value for a key, null at first.
#include <assert.h>
#include <pthread.h>
pthread_key_t a, b;
void *worker(void *arg) {
    assert(pthread_getspecific(a) == 0);
    pthread_setspecific(a, arg);
    pthread_setspecific(b, (void *)5L);
    assert((long)pthread_getspecific(a) == 42);
    return 0;
}
int main(void) {
    pthread_t t;
    int r = pthread_key_create(&a, 0);
    pthread_key_create(&b, NULL);
    assert(r == 0);
    pthread_setspecific(a, (void *)16L);
    pthread_create(&t, 0, worker, (void *)42L);
    pthread_join(t, 0);
    assert((long)pthread_getspecific(a) == 16);
    assert(pthread_getspecific(b) == 0);
    pthread_key_delete(a);
}
