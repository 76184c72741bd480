// relyant: --check memory
int main(void) {
    int *p, x = 1;
    {
        int k = 2;
        p = &k;
        x = *p;
    }
    p = &x;
    return *p;
}
