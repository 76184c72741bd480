// `exit` in a function that a thread calls.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int x;
void leave(void) {
    x = 1;
    exit(0);
    x = 2;
}
void *worker(void *arg) {
    leave();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 2);
}
