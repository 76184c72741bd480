// relyant: --property no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), a = 0;
    if (0 <= n && n < 32)
        a = 1 << n;
    return 0;
}
