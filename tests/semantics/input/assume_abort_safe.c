// `assume_abort_if_not`, with its body and without, and `abort` by hand.
#include <assert.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void assume_abort_if_not(int cond) {
    if (!cond) { abort(); }
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    assume_abort_if_not(n > 2);
    if (n > 5)
        abort();
    assert(n >= 3 && n <= 5);
}
