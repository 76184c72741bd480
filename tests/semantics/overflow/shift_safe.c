// relyant: --property no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), a = 1;
    unsigned u = 0;
    if (0 <= n && n < 31) {
        a = 1 << n;
        u = 5u << (n + 1);
    }
    a >>= 4;
    return 0;
}
