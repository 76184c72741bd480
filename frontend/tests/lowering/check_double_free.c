// unsafe --check memory
#include <stdlib.h>
int nondet(void);
int main(void) {
  int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  *p = *q = 1;
  free(p);
  if (nondet()) free(p); else free(q);
  return 0;
}
