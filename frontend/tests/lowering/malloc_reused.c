// unsafe
#include <stdlib.h>
#include <assert.h>
int main(void) {
  int *seen = 0;
  for (int i = 0; i < 2; i++) {
    int *p = malloc(sizeof *p);
    assert(p != seen);
    seen = p;
    free(p);
  }
}
