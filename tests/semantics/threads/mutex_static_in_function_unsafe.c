// A mutex that is a static of a function.
#include <assert.h>
#include <pthread.h>
int next(void) {
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    static int n;
    int mine = n;
    n = mine + 1;
    return mine;
}
int a;
void *worker(void *arg) {
    a = next();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int b = next();
    pthread_join(t, 0);
    assert(a != b);
}
