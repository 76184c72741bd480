// The least number divided by -1 has no meaning where arithmetic wraps either.
// relyant: --signed wrap
// assumes: the least number of a type is not divided by -1
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), d = -1;
  if (__VERIFIER_nondet_int()) d = -2;
  if (n >= 0 || n < -2147483646 - 1) return 0;
  assert(n / d >= 0);
  return 0;
}
