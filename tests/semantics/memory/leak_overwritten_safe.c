// relyant: --property valid-memsafety
// What a static object points to is not lost, wherever in it.
#include <stdlib.h>
static int *kept[2];
int main(void) {
  for (int i = 0; i < 2; i++) {
    int *p = malloc(2 * sizeof *p);
    p[0] = i;
    kept[i] = p + i;
  }
  return 0;
}
