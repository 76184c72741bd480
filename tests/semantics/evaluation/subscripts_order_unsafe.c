// C11 6.5.2.1: the operands of a subscript have no order.
#include <assert.h>
int x;
int a(void) { return x++; }
int b(void) { return x++; }
int m[2][2] = {{0, 1}, {2, 3}};
int main(void) {
    int r = m[a()][b()];
    assert(r == 1);
    return 0;
}
