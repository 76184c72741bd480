// What comes behind a designator goes on in the part of the object that it names (C11 6.7.9p17).
// real: yes
#include <assert.h>
struct pair {
    int x, y;
};
int main(void) {
    struct pair p[3] = {[1].x = 1, 2};
    assert(p[2].x == 2);
}
