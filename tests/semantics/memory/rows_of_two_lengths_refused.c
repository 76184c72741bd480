// A function whose parameter has rows of several lengths.
static int at(int n, int m, int a[n][m], int i, int k) { return a[i][k]; }
int main(void) {
    int small[2][2] = {{1, 2}, {3, 4}}, large[2][3] = {{1, 2, 3}, {4, 5, 6}};
    return at(2, 2, small, 1, 1) + at(2, 3, large, 1, 1);
}
