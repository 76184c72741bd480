// relyant: --property no-overflow
extern unsigned short __VERIFIER_nondet_ushort(void);
int main(void) {
    unsigned short s = __VERIFIER_nondet_ushort();
    s *= s;
    return s;
}
