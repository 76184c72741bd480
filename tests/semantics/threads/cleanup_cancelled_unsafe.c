// Both have run.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int order;
void first(void *a) {
  assert(order == 1);
  order = 2;
  pthread_mutex_unlock(&m);
}
void second(void *a) {
  assert(*(int *)a == 5 && order == 0);
  order = 1;
}
void *worker(void *a) {
  int five = 5;
  pthread_mutex_lock(&m);
  pthread_cleanup_push(first, 0);
  pthread_cleanup_push(second, &five);
  for (;;) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_cancel(t);
  pthread_join(t, 0);
  pthread_mutex_lock(&m);
  assert(order != 2);
  pthread_mutex_unlock(&m);
  return 0;
}
