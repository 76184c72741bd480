// relyant: --property valid-memsafety
#include <stdlib.h>
static union { int *p; long n; } u;
int main(void) {
  u.n = 5;
  u.p = malloc(sizeof(int));
  return 0;
}
