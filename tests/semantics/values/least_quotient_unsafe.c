// relyant: --signed wrap
// assumes: the least number of a type is not divided by -1
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), d = -1;
  if (__VERIFIER_nondet_int()) d = -2;
  if (n >= 0) return 0;
  assert(n / d != 7);
  return 0;
}
