// A destructor that sets the value again runs again; a key that is deleted has none.
#include <assert.h>
#include <pthread.h>
pthread_key_t key, gone;
int runs;
void destroy(void *value) {
    runs++;
    if ((long)value > 1)
        pthread_setspecific(key, (void *)((long)value - 1));
}
void never(void *value) {
    (void)value;
    assert(0);
}
void *worker(void *arg) {
    pthread_setspecific(key, arg);
    pthread_setspecific(gone, arg);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_key_create(&gone, never);
    pthread_create(&t, 0, worker, (void *)2L);
    pthread_join(t, 0);
    assert(runs == 2);
}
