// The other member takes the pointer's place.
// relyant: --property valid-memsafety
// violation: memory leak
#include <stdlib.h>
static union { int *p; long n; } u;
int main(void) {
  u.p = malloc(sizeof(int));
  u.n = 5;
  return 0;
}
