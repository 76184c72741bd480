// The call returns.
#include <assert.h>
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
  pthread_rwlock_wrlock(&l);
  pthread_rwlock_rdlock(&l);
  assert(0);
  return 0;
}
