// recursive:safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
// A thread ends in the middle of its calls; what it would have done on its way back is not done.
int deep, back;
void down(int n) {
  deep++;
  if (n == 0) pthread_exit((void *)7);
  down(n - 1);
  back++;
}
void *w(void *p) { down(3); back++; return 0; }
int main(void) {
  pthread_t t;
  void *r;
  pthread_create(&t, 0, w, 0);
  pthread_join(t, &r);
  assert((long)r == 7 && deep == 4 && back == 0);
}
