// The address of a local, used by a function that is called.
#include <assert.h>
void add(int *to, int n) { *to += n; }
int main(void) {
    int x = 1, y = 2;
    add(&x, 4);
    add(&y, x);
    assert(x == 5 && y == 7);
}
