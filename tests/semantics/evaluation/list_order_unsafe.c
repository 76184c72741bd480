// C11 6.7.9p23: elements of a list are evaluated in any order.
#include <assert.h>
int x;
int a(void) { return x++; }
int b(void) { return x++; }
int main(void) {
    int v[2] = {a(), b()};
    assert(v[0] < v[1]);
    return 0;
}
