// unsafe
#include <assert.h>
#include <pthread.h>
// Any number of threads, each with a child that gets the address of a local.
void *child(void *p) { *(int *)p += 1; return 0; }
void *parent(void *a) {
  int mine = 1;
  pthread_t t;
  pthread_create(&t, 0, child, &mine);
  assert(mine == 2);
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, parent, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
