// recursive:unsafe
#include <assert.h>
#include <pthread.h>
// Each call starts a thread: three in all, whose writes may come after the last call.
int n;
void *w(void *p) { n++; return 0; }
void start(int k) { if (k == 0) return; pthread_t t; pthread_create(&t, 0, w, 0); start(k - 1); n = n; }
int main(void) {
  start(3);
  assert(n < 3);
}
