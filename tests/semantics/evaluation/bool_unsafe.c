// `_Bool` is 0 or 1.
#include <assert.h>
int main(void) {
    _Bool b = 256;
    assert(b == 0);
    b += 1;
    assert(b == 1);
    b = 0;
    assert(!b);
    b--;
    assert(b == 1);
}
