// The address of one thread's own object, handed to another.
#include <assert.h>
#include <pthread.h>
__thread int own = 1;
int *shared;
void *worker(void *arg) {
    (void)arg;
    *shared = 5;
    assert(own == 1);
    own = 9;
    return 0;
}
int main(void) {
    pthread_t t;
    shared = &own;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(own == 9);
}
