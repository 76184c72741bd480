// A key that a once makes, and one that main makes; the key is a local, handed over by its address.
#include <assert.h>
#include <pthread.h>
pthread_once_t o = PTHREAD_ONCE_INIT;
pthread_key_t shared;
void make(void) { pthread_key_create(&shared, 0); }
void *worker(void *arg) {
    pthread_once(&o, make);
    pthread_setspecific(shared, arg);
    pthread_key_t *own = arg;
    assert(pthread_getspecific(*own) == 0);
    pthread_setspecific(shared, &shared);
    assert(pthread_getspecific(shared) == &shared);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_key_t own;
    pthread_key_create(&own, 0);
    pthread_create(&t, 0, worker, &own);
    pthread_join(t, 0);
}
