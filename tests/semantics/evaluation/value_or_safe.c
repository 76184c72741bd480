// GNU's `x ?: y` is x where that is not 0, else y; x is evaluated once.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int calls;
int next(void) {
    calls++;
    return calls - 1;
}
void *worker(void *arg) {
    int *own = arg, *p = own ?: &calls;
    *p = 7;
    return 0;
}
int main(void) {
    int x = __VERIFIER_nondet_int(), slot = 0;
    assert((x ?: 3) != 0);
    assert((next() ?: 5) == 5 && calls == 1);
    assert((next() ?: 5) == 1 && calls == 2);
    assert((2 ?: x) == 2);
    assert(((unsigned char)x ?: -1L) != 0);
    pthread_t t;
    pthread_create(&t, 0, worker, &slot);
    pthread_join(t, 0);
    assert(slot == 7 && calls == 2);
}
