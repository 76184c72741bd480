// Between two points a thread goes on, and it may end before the request comes.
#include <assert.h>
#include <pthread.h>
int passed;
void *worker(void *a) {
  pthread_testcancel();
  passed = 1;
  return a;
}
int main(void) {
  pthread_t t;
  void *r;
  pthread_create(&t, 0, worker, 0);
  pthread_cancel(t);
  pthread_join(t, &r);
  assert(r == PTHREAD_CANCELED || !passed);
  return 0;
}
