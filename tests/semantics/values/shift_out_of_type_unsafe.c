// assumes: signed arithmetic does not overflow
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  int m = n << 4;
  assert(m != 64);
  return 0;
}
