// relyant: --property valid-memsafety
// violation: memory leak
// The first block is lost when the second is made.
#include <stdlib.h>
static int *kept;
int main(void) {
  for (int i = 0; i < 2; i++) {
    kept = malloc(sizeof *kept);
    *kept = i;
  }
  return 0;
}
