// Signed overflow is assumed not to happen.
#include <assert.h>
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    unsigned m = n;
    m = m + 1;
    assert(m != 0);
}
