extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int n;
int main(void)
{
    if (n)
        __VERIFIER_atomic_begin();
    n = 1;
    __VERIFIER_atomic_end();
    return 0;
}
