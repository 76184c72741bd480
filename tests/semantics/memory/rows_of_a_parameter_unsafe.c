// A parameter's rows are those of the arguments.
// real: yes
#include <assert.h>
static int at(int n, int m, int a[n][m], int i, int k) { return a[i][k]; }
int numbers[2][3] = {{1, 200, 3}, {4, 5000, 6}};
int main(void) {
    assert(at(2, 3, numbers, 1, 1) <= 127);
}
