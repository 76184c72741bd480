// The routine of a once runs once, and is done when any call returns.
#include <assert.h>
#include <pthread.h>
pthread_once_t o = PTHREAD_ONCE_INIT;
int made;
void make(void) {
    int old = made;
    made = old + 1;
}
void *worker(void *arg) {
    (void)arg;
    make();
    assert(made == 1);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
