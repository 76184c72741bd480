// An index that leaves its object through a pointer is undefined too: no run goes on in another object.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a[3], b;
void *run(void *p) {
    int *q = p;
    int i = __VERIFIER_nondet_int() ? 3 : 1;
    q[i] = 7;
    if (i == 1)
        b = 1;
    return 0;
}
int main(void) {
    pthread_t t, u;
    b = __VERIFIER_nondet_int() ? 1 : 2;
    pthread_create(&t, 0, run, a);
    pthread_create(&u, 0, run, a + 1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    int k = __VERIFIER_nondet_int() ? 0 : 1;
    int *r = k ? a : a + 1;
    assert(r[k] != 9);
    assert(b < 3);
}
