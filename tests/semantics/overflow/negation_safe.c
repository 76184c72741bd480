// relyant: --property no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = __VERIFIER_nondet_int();
    if (a > -2147483647 - 1)
        a = -a;
    return 0;
}
