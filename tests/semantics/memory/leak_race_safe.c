// relyant: --property valid-memsafety
// Two threads both find nothing there; one block is lost.
#include <pthread.h>
#include <stdlib.h>
static int *p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  if (p == 0) p = malloc(sizeof *p);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  run(0);
  pthread_join(t, 0);
  return 0;
}
