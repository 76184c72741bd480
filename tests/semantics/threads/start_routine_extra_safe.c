// The first parameter is the argument all the same.
#include <assert.h>
#include <pthread.h>
int x;
void *run(void *a, int mode) {
  assert(a == &x);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, (void *(*)(void *))run, &x);
  pthread_join(t, 0);
  return 0;
}
