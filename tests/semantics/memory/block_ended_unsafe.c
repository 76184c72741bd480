// relyant: --check memory
// violation: access to an object that is gone
int main(void) {
    int *p, x = 1;
    {
        int k = 2;
        p = &k;
        x = *p;
    }
    return *p;
}
