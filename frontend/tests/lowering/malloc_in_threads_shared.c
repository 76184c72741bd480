// unsafe
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
int *last;
void *worker(void *id) {
  for (int i = 0; i < 2; i++) {
    int *p = malloc(sizeof *p);
    *p = i;
    if (last) *last = 5;
    last = p;
    assert(*p == i);
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
}
