// relyant: --property valid-memsafety
// reason: no proof: the program ends before its functions return
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  exit(0);
}
