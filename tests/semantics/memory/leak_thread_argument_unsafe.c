// relyant: --property valid-memsafety
// violation: memory leak
#include <pthread.h>
#include <stdlib.h>
static int n;
static void *run(void *arg) {
  n = *(int *)arg;
  return 0;
}
int main(void) {
  pthread_t t;
  int *p = malloc(sizeof *p);
  *p = 1;
  pthread_create(&t, 0, run, p);
  pthread_join(t, 0);
  return 0;
}
