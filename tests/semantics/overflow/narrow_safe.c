// relyant: --property no-overflow
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
int main(void) {
    char c = __VERIFIER_nondet_char();
    short s = __VERIFIER_nondet_short();
    c++;
    c += 100;
    s *= s;
    s = -s;
    return 0;
}
