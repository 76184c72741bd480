// relyant: --property valid-memsafety
#include <stdlib.h>
struct node { struct node *other; };
static struct node *first;
int main(void) {
  first = malloc(sizeof *first);
  first->other = malloc(sizeof *first);
  first->other->other = first;
  first = first->other;
  return 0;
}
