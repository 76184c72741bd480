// safe --check memory
#include <stdlib.h>
#include <pthread.h>
int *shared;
void *worker(void *a) { *shared = 1; return 0; }
int main(void) {
  pthread_t t;
  shared = malloc(sizeof *shared);
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  free(shared);
  return 0;
}
