/* One thread writes the numbers it is given into a buffer of any size, plus one; another adds them up as they come. It ends with the sum of
   what was read, and one for each element. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int n;
int *buffer;
int written, read_so_far;
int total_in, total_out;

void *writer(void *unused)
{
  while (written < n) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_atomic_begin();
    total_in = total_in + x;
    buffer[written] = x + 1;
    written = written + 1;
    __VERIFIER_atomic_end();
  }
  return 0;
}

void *reader(void *unused)
{
  while (read_so_far < n) {
    __VERIFIER_atomic_begin();
#ifdef EARLY
    if (read_so_far <= written) {
#else
    if (read_so_far < written) {
#endif
      total_out = total_out + buffer[read_so_far];
      read_so_far = read_so_far + 1;
    }
    __VERIFIER_atomic_end();
  }
  return 0;
}

int main(void)
{
  pthread_t w, r;
  n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
#ifdef EARLY
  if (n > 1) return 0;
#endif
  buffer = malloc(n * sizeof(int));
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
  assert(total_out == total_in + n);
  return 0;
}
