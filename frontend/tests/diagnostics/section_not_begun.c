extern void __VERIFIER_atomic_end(void);
int main(void)
{
    __VERIFIER_atomic_end();
    return 0;
}
