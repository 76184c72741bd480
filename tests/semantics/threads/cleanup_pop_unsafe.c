// A handler runs where it is popped with a number other than 0, and in pthread_exit of a function that is called.
#include <assert.h>
#include <pthread.h>
int n;
void add(void *a) { n += *(int *)a; }
void leave(void) { pthread_exit(0); }
void *worker(void *a) {
  int one = 1, ten = 10, hundred = 100;
  pthread_cleanup_push(add, &one);
  pthread_cleanup_pop(1);
  pthread_cleanup_push(add, &ten);
  pthread_cleanup_pop(0);
  pthread_cleanup_push(add, &hundred);
  leave();
  pthread_cleanup_pop(0);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  assert(n != 101);
  return 0;
}
