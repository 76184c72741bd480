// The size of a parameter's row that is of variable length.
static unsigned long size(int n, int m, int a[n][m]) { return sizeof a[0]; }
int main(void) {
    int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
    return size(2, 3, numbers) == 12;
}
