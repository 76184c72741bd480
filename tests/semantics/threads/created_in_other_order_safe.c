// relyant: --method search
// There are two that count.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int sum, seen;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *leaf(void *a) {
  int x = __VERIFIER_nondet_int();
  pthread_mutex_lock(&m);
  if (x == 3) seen = sum;
  pthread_mutex_unlock(&m);
  return a;
}
void *branch(void *a) {
  pthread_t t;
  pthread_create(&t, 0, leaf, 0);
  pthread_mutex_lock(&m);
  sum++;
  pthread_mutex_unlock(&m);
  return a;
}
void *stem(void *a) {
  pthread_t t;
  pthread_create(&t, 0, branch, 0);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, stem, 0);
  pthread_create(&t, 0, stem, 0);
  pthread_mutex_lock(&m);
  assert(seen != 3);
  pthread_mutex_unlock(&m);
  return 0;
}
