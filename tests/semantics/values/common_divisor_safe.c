// Subtracting one of two numbers from the other keeps their common divisors.
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
unsigned left, right;
void *shrink(void *unused) {
    while (left > right)
        left = left - right;
    return 0;
}
int main(void) {
    unsigned first = __VERIFIER_nondet_uint(), second = __VERIFIER_nondet_uint();
    unsigned common = __VERIFIER_nondet_uint();
    if (first == 0 || second == 0 || common == 0)
        return 0;
    if (first % common != 0 || second % common != 0)
        return 0;
    left = first;
    right = second;
    pthread_t t;
    pthread_create(&t, 0, shrink, 0);
    pthread_join(t, 0);
    unsigned last = left;
    assert(last % common == 0 && last >= common);
    return 0;
}
