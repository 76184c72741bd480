// What a size goes over is not told where rows lie farther apart than they are long.
#include <assert.h>
#include <string.h>
int main(void) {
    int n = 8;
    int a[2][n];
    a[1][0] = 5;
    memset(a, 0, 2 * n * sizeof(int));
    assert(a[1][0] == 0);
    return 0;
}
