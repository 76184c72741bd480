// relyant: --max-threads 2
// assumes: no more than 2 threads are alive at once
// With two threads alive, creating one more has no effect.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    (void)arg;
    __sync_fetch_and_add(&x, 1);
    assert(x <= 1);
    for (;;) ;
    return 0;
}
int main(void) {
    pthread_t t;
    x = 1;
    for (;;)
        pthread_create(&t, 0, worker, 0);
}
