extern void __VERIFIER_atomic_begin(void);
static int n;
int main(void)
{
    __VERIFIER_atomic_begin();
    n = 1;
    return 0;
}
