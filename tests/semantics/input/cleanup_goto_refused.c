static void leave(int *p) { *p = 0; }
int main(void) {
    {
        int a __attribute__((cleanup(leave))) = 1;
        goto out;
    }
out:
    return 0;
}
