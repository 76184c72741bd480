// The order of equal elements is not told.
#include <assert.h>
#include <stdlib.h>
struct pair { int key; char tag; };
struct pair a[3] = {{3, 'x'}, {1, 'y'}, {3, 'z'}};
static int by_key(const void *x, const void *y) {
  const struct pair *p = x, *q = y;
  return p->key - q->key;
}
int main(void) {
  qsort(a, 3, sizeof a[0], by_key);
  assert(a[1].tag == 'x');
  return 0;
}
// compiled: the library's sort keeps equal elements in order
