// relyant: --signed wrap
// With `--signed wrap` it wraps.
#include <assert.h>
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    assert(n + 1 > n );
}
