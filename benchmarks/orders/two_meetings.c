/* Two pairs of threads meet half way: each adds to its own counter before, and to its partner's after. Both pairs do the same, so both come to
   the same numbers. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int left_a, right_a, left_b, right_b;
int here_a, there_a, here_b, there_b;

void *left_of_a(void *unused)
{
  left_a = left_a + 1;
  here_a = 1;
  __VERIFIER_assume(there_a == 1);
  right_a = right_a + 1;
  return 0;
}

void *right_of_a(void *unused)
{
  right_a = right_a + 1;
#ifndef RUSHES
  there_a = 1;
  __VERIFIER_assume(here_a == 1);
#else
  there_a = 1;
#endif
  left_a = left_a + 1;
  return 0;
}

void *left_of_b(void *unused)
{
  left_b = left_b + 1;
  here_b = 1;
  __VERIFIER_assume(there_b == 1);
  right_b = right_b + 1;
  return 0;
}

void *right_of_b(void *unused)
{
  right_b = right_b + 1;
  there_b = 1;
  __VERIFIER_assume(here_b == 1);
  left_b = left_b + 1;
  return 0;
}

int main(void)
{
  pthread_t t[4];
  left_a = left_b = __VERIFIER_nondet_int();
  right_a = right_b = __VERIFIER_nondet_int();
  pthread_create(&t[0], 0, left_of_a, 0);
  pthread_create(&t[1], 0, right_of_a, 0);
  pthread_create(&t[2], 0, left_of_b, 0);
  pthread_create(&t[3], 0, right_of_b, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  pthread_join(t[3], 0);
  assert(left_a == left_b && right_a == right_b);
  return 0;
}
