// safe --check memory
#include <stdlib.h>
int nondet(void);
int main(void) {
  int *p = malloc(3 * sizeof *p), i = nondet();
  if (i < 0 || i > 2) return 0;
  p[i] = 1;
  return 0;
}
