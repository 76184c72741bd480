// recursive:safe
#include <assert.h>
#include <pthread.h>
// Each call keeps its own array while the calls it makes fill theirs; two threads at once.
int sum(int n) {
  int a[2];
  a[0] = n; a[1] = 2 * n;
  int below = n > 0 ? sum(n - 1) : 0;
  return below + a[0] + a[1];
}
int got[2];
void *w(void *p) { int i = *(int *)p; got[i] = sum(i); return 0; }
int main(void) {
  pthread_t t[2];
  int ids[2];
  for (int i = 0; i < 2; i++) { ids[i] = i; pthread_create(&t[i], 0, w, &ids[i]); }
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(got[0] == 0 && got[1] == 3);
}
