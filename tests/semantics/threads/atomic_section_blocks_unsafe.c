// A section that can't go on is not taken at all: a lock made of an assumption.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
int lock, inside;
void __VERIFIER_atomic_take(void) {
    __VERIFIER_assume(lock == 0);
    lock = 1;
}
void __VERIFIER_atomic_release(void) { lock = 0; }
void *worker(void *arg) {
    inside++;
    assert(inside == 1);
    inside--;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
