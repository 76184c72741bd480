// relyant: --property valid-memsafety
// violation: memory leak
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  return 0;
}
