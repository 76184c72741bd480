// A struct by value is a copy, and so is what a function returns.
#include <assert.h>
struct p { int x, y; };
struct p flip(struct p p) {
    int t = p.x;
    p.x = p.y;
    p.y = t;
    return p;
}
int main(void) {
    struct p a = {1, 2}, b = flip(a);
    assert(a.x == 1 && b.x == 1 && flip(flip(a)).y == 2);
}
