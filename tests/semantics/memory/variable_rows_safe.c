// relyant: --check memory
// Of rows of constant length there are as many as are asked for.
extern int __VERIFIER_nondet_int(void);
static int last(int n, int m[n][3])
{
    return m[n - 1][2];
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 3)
        return 0;
    int m[n][3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = i + j;
    last(n, m);
    return 0;
}
