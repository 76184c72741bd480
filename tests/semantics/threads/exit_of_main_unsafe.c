// `pthread_exit` in main ends main only.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    (void)arg;
    x = 1;
    assert(x == 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
    x = 2;
}
