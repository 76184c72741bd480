// C11 6.5.16p3: the place of a compound assignment and the value have no order.
#include <assert.h>
int x;
int a(void) { return x++; }
int b(void) { return x++; }
int y[2] = {5, 5};
int main(void) {
    y[a()] += b();
    assert(y[0] == 6 || y[0] + y[1] == 10);
    return 0;
}
