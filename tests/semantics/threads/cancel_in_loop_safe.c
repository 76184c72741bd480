// A loop that cancels: each thread ends.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
void *worker(void *a) {
  for (;;) sleep(1);
  return a;
}
int main(void) {
  pthread_t t[2];
  void *r;
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 2; i++) pthread_cancel(t[i]);
  for (int i = 0; i < 2; i++) {
    pthread_join(t[i], &r);
    assert(r == PTHREAD_CANCELED);
  }
  return 0;
}
