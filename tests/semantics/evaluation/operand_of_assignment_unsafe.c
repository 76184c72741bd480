// The place on the left and the value on the right of `=` come in any order.
#include <assert.h>
int i, a[2];
int next(void) {
    i = 1;
    return 5;
}
int main(void) {
    a[i] = next();
    assert(a[0] == 5 );
}
