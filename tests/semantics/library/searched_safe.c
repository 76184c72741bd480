// assumes: `bsearch` gets a sorted array
#include <assert.h>
#include <stdlib.h>
int a[4] = {1, 2, 2, 5};
static int cmp(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int main(void) {
  int k = 2;
  int *p = bsearch(&k, a, 4, sizeof(int), cmp);
  assert(*p == 2);
  return 0;
}
