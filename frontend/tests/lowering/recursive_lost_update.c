// recursive:unsafe
#include <assert.h>
#include <pthread.h>
int x;
void bump(int n) { if (n == 0) return; int t = x; bump(n - 1); x = t + 1; }
void *w(void *p) { bump(2); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, w, 0);
  pthread_create(&b, 0, w, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x <= 1);
}
