// relyant: --property no-overflow
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    assert(n < 100);
    return n < 1000 ? n + 1 : 0;
}
