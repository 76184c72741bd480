// relyant: --property valid-memsafety
// violation: memory leak
// Two blocks that point to each other, and nobody else to them.
#include <stdlib.h>
struct node { struct node *other; };
static struct node *first;
int main(void) {
  first = malloc(sizeof *first);
  first->other = malloc(sizeof *first);
  first->other->other = first;
  first = 0;
  return 0;
}
