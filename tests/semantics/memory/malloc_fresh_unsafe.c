// Each malloc makes an object of its own; its contents are any values.
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof(struct node));
    a->value = 1;
    b->value = 2;
    a->next = b;
    b->next = 0;
    assert(a != b && a->value == 1 && a->next->value == 2);
    int *c = calloc(1, sizeof *c), *d = malloc(sizeof *d);
    assert(*c == 0);
    assert(*d == 0);
    free(a);
    free(b);
}
