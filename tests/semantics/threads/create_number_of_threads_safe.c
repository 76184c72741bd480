// As many threads as a number says, all joined.
#include <assert.h>
#include <pthread.h>
_Bool nondet_bool(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;
pthread_t t[3];
void *worker(void *arg) {
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    int n = 1 + nondet_bool() + nondet_bool();
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    assert(count == n);
}
