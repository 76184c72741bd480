// A request takes effect at a cancellation point, and the joined result is PTHREAD_CANCELED.
#include <assert.h>
#include <pthread.h>
int passed;
void *worker(void *a) {
  for (;;) {
    passed = 1;
    pthread_testcancel();
  }
  return a;
}
int main(void) {
  pthread_t t;
  void *r;
  pthread_create(&t, 0, worker, 0);
  pthread_cancel(t);
  pthread_join(t, &r);
  assert(r == PTHREAD_CANCELED);
  return 0;
}
