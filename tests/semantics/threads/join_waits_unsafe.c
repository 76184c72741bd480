// A join waits for the thread's end.
#include <assert.h>
#include <pthread.h>
int done;
void *worker(void *arg) {
    (void)arg;
    done = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(done);
}
