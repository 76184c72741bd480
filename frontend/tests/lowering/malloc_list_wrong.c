// unsafe
#include <stdlib.h>
#include <assert.h>
struct node { int value; struct node *next; };
int main(void) {
  struct node *list = 0;
  for (int i = 1; i <= 4; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    n->next = list;
    list = n;
  }
  int sum = 0;
  for (struct node *n = list; n; n = n->next) sum += n->value;
  assert(sum == 9 && list->next->next->value == 2);
}
