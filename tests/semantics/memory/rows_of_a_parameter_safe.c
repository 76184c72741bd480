// A parameter's rows are those of the arguments.
// real: yes
#include <assert.h>
static int at(int n, int m, int a[n][m], int i, int k) { return a[i][k]; }
static void fill(int n, int (*a)[n], int from) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) a[i][k] = from + i * n + k;
}
static int trace(int n, int a[n][n]) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += a[i][i];
    return sum;
}
int numbers[2][3] = {{1, 200, 3}, {4, 5000, 6}};
int main(void) {
    assert(at(2, 3, numbers, 1, 1) == 5000 && at(2, 3, numbers, 0, 1) == 200);
    int n = 2;
    int square[n][n];
    fill(n, square, 100);
    assert(square[1][0] == 102 && trace(n, square) == 203);
}
