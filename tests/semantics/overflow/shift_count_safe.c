// relyant: --property no-overflow
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    return 8u >> (n & 31);
}
