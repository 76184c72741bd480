// safe
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void abort(void);
static void assume_abort_if_not(int c)
{
    if (!c)
        abort();
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 3 && n < 9 || n == 11);
    assume_abort_if_not(n != 5);
    assert(n >= 4 && n != 5 && n != 9 && n <= 11);
    assert(__VERIFIER_nondet_uchar() < 256);
    return 0;
}
