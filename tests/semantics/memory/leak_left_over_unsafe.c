// relyant: --property valid-memsafety
// violation: memory leak
// The block is made anew where the old one held an address: that leads nowhere.
#include <stdlib.h>
struct node { int n; struct node *next; };
static struct node *first;
int main(void) {
  struct node *lost = malloc(sizeof *lost);
  lost->next = 0;
  struct node *p = malloc(sizeof *p);
  p->next = lost;
  free(p);
  first = malloc(sizeof *first);
  first->n = 1;
  return 0;
}
