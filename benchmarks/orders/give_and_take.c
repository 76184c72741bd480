/* A thread gives n units of some size, another one takes n, each when there is something to take. At the end nothing is left: where
   each unit is taken as soon as it was given, there is never more than one. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int n, size;
int stock;
int given, taken;

void *giver(void *unused)
{
  while (given < n) {
    __VERIFIER_atomic_begin();
    stock = stock + size;
    __VERIFIER_atomic_end();
    given = given + 1;
  }
  return 0;
}

void *taker(void *unused)
{
  while (taken < n) {
    __VERIFIER_atomic_begin();
    if (stock > 0) {
      stock = stock - size;
      taken = taken + 1;
    }
    __VERIFIER_atomic_end();
  }
  return 0;
}

int main(void)
{
  pthread_t g, t;
  n = __VERIFIER_nondet_int();
  size = __VERIFIER_nondet_int();
#ifndef NONE
  if (size <= 0) return 0;
#else
  if (size != -1 || n != 1) return 0;
  stock = 1;
#endif
  pthread_create(&g, 0, giver, 0);
  pthread_create(&t, 0, taker, 0);
  pthread_join(g, 0);
  pthread_join(t, 0);
  assert(n < 0 || stock == 0);
  return 0;
}
