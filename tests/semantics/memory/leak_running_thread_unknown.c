// relyant: --property valid-memsafety
#include <pthread.h>
#include <stdlib.h>
static void *run(void *arg) {
  free(arg);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, malloc(4));
  return 0;
}
