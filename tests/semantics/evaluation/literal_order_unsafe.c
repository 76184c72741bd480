// C11 6.5.2.5p7: a compound literal is initialised like an object.
#include <assert.h>
int x;
int a(void) { return x++; }
int b(void) { return x++; }
int main(void) {
    int *v = (int[2]){a(), b()};
    assert(v[0] == 0);
    return 0;
}
