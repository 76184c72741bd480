// Sections inside sections end with the outermost; a call inside stays inside.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y;
void set(int v) {
    x = v;
    y = v;
}
void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    set(1);
    __VERIFIER_atomic_begin();
    x = 2;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    y = 2;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    int a = x, b = y;
    __VERIFIER_atomic_end();
    assert(a == b);
}
