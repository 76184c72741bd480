// Two threads in a function with a static race on it.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int next(void) {
    static int n;
    pthread_mutex_lock(&m);
    int mine = ++n;
    pthread_mutex_unlock(&m);
    return mine;
}
int a, b;
void *worker(void *arg) {
    (void)arg;
    a = next();
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    b = next();
    pthread_join(t, 0);
    assert(a != b);
}
