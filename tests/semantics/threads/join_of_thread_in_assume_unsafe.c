// A thread that an assumption stops never ends.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_assume(int);
int x;
void *worker(void *arg) {
    (void)arg;
    __VERIFIER_assume(x >= 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(0);
}
