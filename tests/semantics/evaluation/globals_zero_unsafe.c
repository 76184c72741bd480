// Globals and statics start at zero, the rest of an initialiser too.
#include <assert.h>
int a, b[3], *p;
struct s { int x, y; } s = {1};
int c[4] = {[2] = 5, 6};
int main(void) {
    static int n;
    assert(a == 0 && b[2] == 0 && p == 0 && s.y == 0 && n == 0);
    assert(c[0] == 0 && c[1] == 0 && c[2] == 5 && c[3] == 0);
}
