// `/` and `%` truncate toward zero.
#include <assert.h>
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    if (n < -7 || n > 7)
        return 0;
    int q = n / 3, r = n % 3;
    assert(3 * q + r == n);
    assert(n >= 0 || r <= 0);
    assert(-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3);
}
