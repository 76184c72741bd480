// relyant: --property valid-memsafety
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
  first->next = lost;
  return 0;
}
