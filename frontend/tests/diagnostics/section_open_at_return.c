extern void __VERIFIER_atomic_begin(void);
static int n;
static int set(void)
{
    __VERIFIER_atomic_begin();
    n = 1;
    return 0;
}
int main(void)
{
    return set();
}
