// In `x = f()` the function runs before the write: what it writes to x is lost.
#include <assert.h>
int x;
int f(void) {
    x = 7;
    return 1;
}
int main(void) {
    x = f();
    assert(x == 1);
}
