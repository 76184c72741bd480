// `abort` in one thread ends main too.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
void *worker(void *arg) {
    (void)arg;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(0);
}
