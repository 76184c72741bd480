// A once in a struct, its routine by pointer; the second call waits for the first.
#include <assert.h>
#include <pthread.h>
struct lazy { pthread_once_t once; int value; } lazy = {PTHREAD_ONCE_INIT, 0};
void make(void) {
    lazy.value = 1;
    lazy.value = 2;
}
void nothing(void) {}
int nondet_int(void);
void *worker(void *arg) {
    void (*f)(void) = nondet_int() ? make : nothing;
    pthread_once(&lazy.once, f);
    assert(lazy.value == 2);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
