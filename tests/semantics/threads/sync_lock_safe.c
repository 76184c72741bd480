// A lock of __sync_lock_test_and_set.
#include <assert.h>
#include <pthread.h>
int lock, x;
void *worker(void *arg) {
    (void)arg;
    while (__sync_lock_test_and_set(&lock, 1)) ;
    x++;
    __sync_lock_release(&lock);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(x == 2);
}
