// A location labelled ERROR is an error.
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    if (n > 3) {
        if (n > 3) {
ERROR:
            ;
        }
    }
    return 0;
}
