// safe --signed check
extern signed char __VERIFIER_nondet_schar(void);
int main(void)
{
    signed char n = __VERIFIER_nondet_schar();
    n++;
    n = -n;
    n = n * n;
    n = n / -1;
    return 0;
}
