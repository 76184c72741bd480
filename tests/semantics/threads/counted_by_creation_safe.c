// Threads made in a loop: each adds at most once, so no sum exceeds the number of turns.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int sum;
void *adder(void *unused) {
    int seen = sum;
    sum = seen + 1;
    return 0;
}
int main(void) {
    int most = __VERIFIER_nondet_int();
    if (most <= 0)
        return 0;
    for (int k = 0; k < most; k++) {
        pthread_t t;
        pthread_create(&t, 0, adder, 0);
    }
    assert(sum <= most);
    return 0;
}
