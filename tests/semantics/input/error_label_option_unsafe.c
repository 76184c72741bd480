// relyant: --error-label bad
// A location with a label that the user names is an error.
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    if (n > 3 && n >= 4)
        goto bad;
    return 0;
bad:
    return 1;
}
