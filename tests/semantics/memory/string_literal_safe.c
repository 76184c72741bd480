// relyant: --check memory
int main(void) {
    char *s = "ab", a[] = "ab";
    a[0] = 'c';
    return s[1] - a[1];
    return 0;
}
