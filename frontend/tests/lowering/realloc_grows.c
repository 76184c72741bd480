// safe
#include <stdlib.h>
#include <assert.h>
int main(void) {
  int *a = malloc(sizeof *a);
  a[0] = 1;
  a = realloc(a, 2 * sizeof *a);
  a[1] = 4;
  int *b = realloc(a, 3 * sizeof *a);
  b[2] = 9;
  assert(b[0] == 1 && b[1] == 4 && b[2] == 9);
  free(b);
}
