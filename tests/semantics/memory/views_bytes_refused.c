// The second byte of an array of numbers is not its second number.
int a[4];
int main(void) {
    void *v = a;
    char *c = v;
    c[1] = 1;
    return a[1];
}
