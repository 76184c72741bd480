// A static of a function is shared by all threads and calls.
#include <assert.h>
#include <pthread.h>
int next(void) {
     int n = 0;
    n = n + 1;
    return n;
}
int last;
void *worker(void *arg) {
    (void)arg;
    last = next();
    return 0;
}
int main(void) {
    pthread_t t;
    next();
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(last == 2);
}
