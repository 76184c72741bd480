// In `x += f()` the standard lets x be read before the call or after.
#include <assert.h>
int x = 1;
int f(void) {
    x = 10;
    return 1;
}
int main(void) {
    x += f();
    assert(x == 11 );
}
