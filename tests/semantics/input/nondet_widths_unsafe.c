// `__VERIFIER_nondet_…` gives any value of its type.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    int a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_char(), c = __VERIFIER_nondet_short();
    _Bool d = __VERIFIER_nondet_bool();
    assert(a >= 0 && a <= 255);
    assert(b >= -128 && b <= 126);
    assert(c >= -32768 && c <= 32767);
    assert(d == 0 || d == 1);
}
