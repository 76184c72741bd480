// C11 6.5.2.2p10: arguments of an atomic function have no order.
#include <assert.h>
int x;
int a(void) { return x++; }
int b(void) { return x++; }
int n[2];
int main(void) {
    __sync_fetch_and_add(&n[a()], b() + 1);
    assert(n[0] == 2);
    return 0;
}
