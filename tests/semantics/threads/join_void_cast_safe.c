// `void *` stands for `void **`: the result goes where the pointer under the cast points.
#include <assert.h>
#include <pthread.h>
int cell;
void *run(void *a) { return &cell; }
int main(void) {
  pthread_t t;
  int *r = 0;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, (void *)&r);
  assert(r == &cell);
  return 0;
}
