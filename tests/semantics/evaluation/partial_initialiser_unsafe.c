// A local with an initialiser for a part is zero in the rest.
#include <assert.h>
int main(void) {
    int a[3] = {1}, b[3];
    a[0] = 2;
    b[0] = 2;
    assert(a[0] == 2 && a[1] == 0 && b[2] == 0);
}
