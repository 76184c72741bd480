// relyant: --property valid-memsafety
// violation: memory leak
// The end of the list is cut off.
#include <stdlib.h>
struct node { int n; struct node *next; };
static struct node *first;
int main(void) {
  for (int i = 0; i < 3; i++) {
    struct node *p = malloc(sizeof *p);
    p->n = i;
    p->next = first;
    first = p;
  }
  first->next->next = 0;
  return 0;
}
