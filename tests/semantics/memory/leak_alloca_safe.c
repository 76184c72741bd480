// relyant: --property valid-memsafety
#include <alloca.h>
#include <stdlib.h>
int main(void) {
  int *p = alloca(sizeof *p);
  *p = 1;
  return *p - 1;
}
