// `exit` and `abort` end every thread.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int stage;
void *worker(void *arg) {
    (void)arg;
    assert(stage != 2);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    stage = 1;
    stage = 2;
    abort();
    stage = 2;
}
