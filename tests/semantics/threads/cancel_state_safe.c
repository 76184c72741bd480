// A thread starts with cancellation enabled, and the old state is given back; while it is disabled, requests wait.
#include <assert.h>
#include <pthread.h>
int done;
void *worker(void *a) {
  int before, then;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  assert(before == PTHREAD_CANCEL_ENABLE);
  pthread_testcancel();
  done = 1;
  pthread_setcancelstate(before, &then);
  assert(then == PTHREAD_CANCEL_DISABLE);
  assert(pthread_setcancelstate(7, &then) != 0);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_cancel(t);
  pthread_join(t, 0);
  assert(done);
  return 0;
}
