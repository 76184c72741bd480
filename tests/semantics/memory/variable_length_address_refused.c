// relyant: --check memory
// A pointer to the whole array does not tell how long that is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? 3 : 2;
    int v[n];
    int *p = (int *)(&v + 1);
    return *p;
}
