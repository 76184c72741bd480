// relyant: --property valid-memsafety
// violation: memory leak
#include <alloca.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  return *p - 1;
}
