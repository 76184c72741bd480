/* Two threads add up the same array of any size. The sums agree: in lockstep both have added the same elements after each round. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int n;
int *numbers;
int first_next, first_sum;
int second_next, second_sum;

void *first(void *unused)
{
  while (first_next < n) {
    first_sum = first_sum + numbers[first_next];
    first_next = first_next + 1;
  }
  return 0;
}

void *second(void *unused)
{
  while (second_next < n) {
    second_sum = second_sum + numbers[second_next];
#ifdef SKIPS
    second_next = second_next + 2;
#else
    second_next = second_next + 1;
#endif
  }
  return 0;
}

int main(void)
{
  pthread_t a, b;
  n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
#ifdef SKIPS
  if (n > 2) return 0;
#endif
  numbers = malloc(n * sizeof(int));
  for (int k = 0; k < n; k++) numbers[k] = __VERIFIER_nondet_int();
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(first_sum == second_sum);
  return 0;
}
