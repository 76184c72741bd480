// C11 6.5.2.2p10: a call may come between two others that are operands of one operator.
#include <assert.h>
int t;
int put(int d) { t = t * 10 + d; return d; }
int main(void) {
    int r = (put(1) + put(2)) + put(3);
    assert(t != 132 && t != 231);
    return 0;
}
