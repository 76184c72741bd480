// real: yes
// assumes: `qsort` compares elements
#include <assert.h>
#include <stdlib.h>
struct pair { int key; char tag; };
struct pair a[3] = {{3, 'x'}, {1, 'y'}, {3, 'z'}};
int b[3] = {5, 1, 4};
static int by_key(const void *x, const void *y) {
  const struct pair *p = x, *q = y;
  return p->key - q->key;
}
static int downward(const void *x, const void *y) { return *(const int *)y - *(const int *)x; }
int main(void) {
  qsort(a, 3, sizeof a[0], by_key);
  assert(a[0].key == 1 && a[0].tag == 'y' && a[1].key == 3 && a[2].key == 3);
  assert(a[1].tag + a[2].tag == 'x' + 'z');
  qsort(b, sizeof b / sizeof b[0], sizeof(int), downward);
  assert(b[0] == 5 && b[1] == 4 && b[2] == 1);
  struct pair key = {1, 0};
  struct pair *found = bsearch(&key, a, 3, sizeof *a, by_key);
  assert(found == a);
  key.key = 2;
  assert(bsearch(&key, a, 3, sizeof *a, by_key) == 0);
  key.key = 3;
  found = bsearch(&key, a, 3, sizeof *a, by_key);
  assert(found == &a[1] || found == &a[2]);
  return 0;
}
