// assumes: operands are evaluated from left to right in line 7
// Of very many orders one is tried, which is said.
#include <assert.h>
int t;
int put(int d) { t = t * 10 + d; return d; }
int main(void) {
    int r = put(1) + put(2) + put(1) + put(2) + put(1) + put(2) + put(1);
    assert(t != 2112121);
    return 0;
}
