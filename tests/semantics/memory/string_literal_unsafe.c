// relyant: --check memory
int main(void) {
    char *s = "ab", a[] = "ab";
    a[0] = 'c';
    s[1] = 'c';
    return 0;
}
