// unsafe
#include <stdlib.h>
#include <assert.h>
struct pair { int a; long b; };
static void *get(unsigned long bytes) { void *p = malloc(bytes); if (!p) abort(); return p; }
static void *two(unsigned n, unsigned long one) { return get(n * one); }
int main(void) {
  struct pair *p = get(sizeof *p);
  int *q = two(3, sizeof(int));
  p->a = 1; p->b = -2;
  for (int i = 0; i < 3; i++) q[i] = i;
  assert(p->a + p->b + q[2] == 2);
  free(p); free(q); free(0);
}
