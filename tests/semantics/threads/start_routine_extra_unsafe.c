// A thread gives its start routine one argument: a second parameter may hold anything.
#include <assert.h>
#include <pthread.h>
void *run(void *a, int mode) {
  assert(mode != 1);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, (void *(*)(void *))run, 0);
  pthread_join(t, 0);
  return 0;
}
