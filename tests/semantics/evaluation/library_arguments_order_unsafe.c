// C11 6.5.2.2p10: arguments of a library function have no order.
#include <assert.h>
#include <stdio.h>
int x;
int a(void) { return x++; }
int b(void) { return x++; }
int main(void) {
    int r;
    printf("%d %d", a(), r = b());
    assert(r == 1);
    return 0;
}
