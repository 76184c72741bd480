// safe
#include <stdlib.h>
#include <assert.h>
int main(void) {
  for (int i = 0; i < 2; i++) {
    int *p = calloc(1, sizeof *p);
    if (i == 0) *p = 0;
    assert(*p == 0);
    *p = 1; free(p);
  }
}
