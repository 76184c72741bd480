// relyant: --check memory
// A jump back over the declaration ends the array.
int main(int argc, char **argv)
{
    int n = argc > 1 ? 3 : 2, *p = 0;
again:
    if (p)
        return *p;
    int v[n];
    v[0] = 1;
    p = v;
    goto again;
}
