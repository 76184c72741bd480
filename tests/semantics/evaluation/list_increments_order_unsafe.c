// C11 6.7.9p23: one element of a list after another, in any order, also on a variable without an address.
#include <assert.h>
int main(void) {
    int i = 0;
    int v[2] = {i++, i++};
    assert(v[0] == 0);
    return 0;
}
