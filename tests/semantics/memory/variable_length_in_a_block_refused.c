// relyant: --check memory
// One in a block would have to end with that.
int main(void)
{
    int n = 3;
    for (int k = 0; k < 2; k++) {
        int v[n];
        v[k] = k;
        n = v[k] + 1;
    }
    return 0;
}
