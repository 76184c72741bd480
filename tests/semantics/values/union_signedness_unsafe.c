// Members of one width share their bytes: reading as the other signedness converts.
#include <assert.h>

union u {
    int i;
    unsigned x;
    float f;
} g = {.x = 4294967295u};

int main(void) {
    assert(g.i == -1);
    g.i = -2;
    assert(g.x == 4294967294u);
    g.f = 1.0f;
    assert(g.i == 1);
    return 0;
}
