// Memory functions on arrays of arrays of variable length: on all of one, and in one row.
// real: yes
#include <assert.h>
#include <string.h>
int main(void) {
    int n = 8;
    int a[2][n], b[2][n];
    memset(a, 0, sizeof a);
    assert(a[0][7] == 0 && a[1][0] == 0 && a[1][7] == 0);
    a[1][7] = 5;
    memcpy(b, a, sizeof b);
    assert(b[1][7] == 5);
    memset(b[1], 255, n * sizeof(int));
    assert(b[0][7] == 0 && b[1][0] == -1);
    assert(b[1][7] == -1);
    return 0;
}
