// assumes: signed arithmetic does not overflow
// Signed overflow is assumed not to happen.
#include <assert.h>
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    int m = n;
    m = m + 1;
    assert(m > n);
}
