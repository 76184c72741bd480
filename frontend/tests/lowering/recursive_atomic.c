// recursive:safe
#include <assert.h>
#include <pthread.h>
int x;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void add(int n) { if (n == 0) return; int t = x; add(n - 1); x = t + 1; }
void __VERIFIER_atomic_add(int n) { add(n); x = x + 1; }
void *w(void *p) { __VERIFIER_atomic_add(2); return 0; }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, w, 0);
  __VERIFIER_atomic_begin();
  add(2);
  __VERIFIER_atomic_end();
  pthread_join(a, 0);
  assert(x == 2 || x == 3);
}
