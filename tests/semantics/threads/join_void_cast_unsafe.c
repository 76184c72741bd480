// It is written.
#include <assert.h>
#include <pthread.h>
int cell;
void *run(void *a) { return &cell; }
int main(void) {
  pthread_t t;
  int *r = 0;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, (void *)&r);
  assert(r == 0);
  return 0;
}
