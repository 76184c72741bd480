// Memory functions on untyped pointers: the type whose size is told says what is there.
#include <assert.h>
#include <string.h>
struct point {
    int x, y;
    short tag;
};
int main(void) {
    struct point p = {1, 2, 3}, q[2];
    void *from = &p, *to = q;
    memset(to, 0, 2 * sizeof(struct point));
    assert(q[0].x == 0 && q[1].tag == 0);
    memcpy(to, from, sizeof(struct point));
    assert(q[0].x == 1 && q[0].y == 2 && q[0].tag == 3 && q[1].x == 0);
    assert(memcmp(to, from, sizeof p) == 0);
}
