// relyant: --property valid-memsafety
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
  struct node *second = first->next;
  first->next = second->next;
  free(second);
  return 0;
}
