// relyant: --property valid-memsafety
// violation: memory leak
// The program ends with its last thread.
#include <pthread.h>
#include <stdlib.h>
static int *p;
static void *run(void *arg) {
  (void)arg;
  
  p = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  p = malloc(sizeof *p);
  pthread_create(&t, 0, run, 0);
  pthread_exit(0);
}
