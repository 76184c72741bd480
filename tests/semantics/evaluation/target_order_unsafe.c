// C11 6.5.16p3: the pointer on the left of an assignment is read before a call on the right, or after it.
#include <assert.h>
int g, h, *where = &g;
int turn(void) { where = &h; return 5; }
int main(void) {
    *where = turn();
    assert(g == 5);
    return 0;
}
