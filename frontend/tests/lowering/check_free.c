// safe --check memory
#include <stdlib.h>
int nondet(void);
int main(void) {
  int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  *p = *q = 1;
  free(p);
  if (nondet()) free(0); free(q);
  return 0;
}
