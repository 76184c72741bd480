// relyant: --check memory
// A function that calls itself leaves the address of a local in one of its caller's.
static int f(int **out, int d)
{
    static int x = 1;
    int *p = 0;
    if (d) {
        f(&p, d - 1);
        return *p;
    }
    *out = &x;
    return 0;
}
int main(void)
{
    return f(0, 1);
}
