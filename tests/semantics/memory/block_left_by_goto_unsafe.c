// relyant: --check memory
// violation: access to an object that is gone
int main(void) {
    int *p = 0;
    for (int i = 0;; i++) {
        int a[2] = {1, i};
        p = a;
        if (i == 1)
            goto out;
        if (p[1])
            break;
    }
    return 0;
out:
    return p[0];
}
