// `__VERIFIER_atomic_begin` and `_end` make one step.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void *add(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    int t = x;
    x = t + 1;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, add, 0);
    pthread_create(&u, 0, add, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(x == 2);
}
