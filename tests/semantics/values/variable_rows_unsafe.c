#include <assert.h>
int main(void) {
    int n = 3;
    int grid[2][n];
    grid[0][2] = 1;
    grid[1][0] = 5;
    assert(grid[1][0] == 1);
}
