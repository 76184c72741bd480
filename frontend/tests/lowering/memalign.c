// safe
#include <stdlib.h>
#include <assert.h>
int main(void) {
  long *p;
  int r = posix_memalign((void **)&p, 64, 2 * sizeof *p);
  p[1] = 7;
  int *q = aligned_alloc(16, sizeof *q);
  *q = 8;
  assert(r == 0 && p[1] + *q == 15);
}
