// recursive:unsafe
#include <assert.h>
int odd(unsigned n);
int even(unsigned n) { int r = n == 0 ? 1 : odd(n - 1); return r; }
int odd(unsigned n) { if (n == 0) return 0; int r = even(n - 1); return r; }
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n == 6) assert(even(n) == 0);
}
