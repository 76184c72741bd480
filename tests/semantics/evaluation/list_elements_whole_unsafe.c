// C11 6.7.9p23: elements of a list are evaluated whole, operands of an operator are not.
#include <assert.h>
int t;
int put(int d) { t = t * 10 + d; return d; }
int main(void) {
    int v[2] = {put(1) + put(2), put(3)};
    assert(t != 321);
    return 0;
}
