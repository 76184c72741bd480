// Arrays of variable length in two dimensions.
#include <assert.h>
int main(void) {
    int n = 3;
    int grid[2][n], square[n][n];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < n; k++) grid[i][k] = 10 * i + k;
    square[2][1] = 7;
    square[1][2] = 8;
    assert(grid[1][2] == 12 && grid[0][2] == 2 && square[2][1] == 7);
    assert(sizeof grid == 2 * 3 * sizeof(int) && sizeof grid[0] == 3 * sizeof(int) && sizeof grid[0][0] == sizeof(int));
}
