// C11 6.5.13p4: nothing of the right operand of && comes before the left one, but another operand may come between.
#include <assert.h>
int t;
int put(int d) { t = t * 10 + d; return d; }
int main(void) {
    int r = (put(1) && put(2)) + put(3);
    assert(t != 132);
    return 0;
}
