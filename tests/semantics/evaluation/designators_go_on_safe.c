// What comes behind a designator goes on in the part of the object that it names (C11 6.7.9p17).
// real: yes
#include <assert.h>
struct pair {
    int x, y;
};
struct whole {
    struct pair a, b;
    int v[3];
    char s[4];
};
struct mixed {
    int first;
    struct {
        short low, high;
    };
    int last;
};
static struct whole t[] = {[2] = {.b.y = 5, .v[1] = 7, 8, .s = "ab"}, [0].a.x = 1, 2, {3, 4}, [1] = {{9}}};
int main(void) {
    assert(t[2].b.y == 5 && t[2].v[0] == 0 && t[2].v[1] == 7 && t[2].v[2] == 8 && t[2].s[1] == 'b');
    assert(t[0].a.x == 1 && t[0].a.y == 2 && t[0].b.x == 3 && t[0].b.y == 4 && t[1].a.x == 9 && t[1].a.y == 0);
    int m[2][3] = {[0][1] = 1, 2, 3, 4};
    assert(m[0][0] == 0 && m[0][1] == 1 && m[0][2] == 2 && m[1][0] == 3 && m[1][1] == 4);
    struct whole w = {.v = 1, 2, .b = 3, 4, 5};
    assert(w.v[0] == 5 && w.v[1] == 2 && w.b.x == 3 && w.b.y == 4);
    struct mixed u = {.low = 1, 2, 3};
    assert(u.first == 0 && u.low == 1 && u.high == 2 && u.last == 3);
}
