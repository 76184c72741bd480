// relyant: --property no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 2147483640)
        while (1)
            n++;
    return 0;
}
