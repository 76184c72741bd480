// Whoever calls main goes on after it.
extern void __VERIFIER_atomic_begin(void);
int n;
int main(void)
{
    if (n++ == 0)
        main();
    __VERIFIER_atomic_begin();
}
