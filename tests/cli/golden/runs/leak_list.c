// valid-memsafety
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = value;
    n->next = list;
    return n;
}

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 2; i++)
        list = push(list, i);
    free(list);
    return 0;
}
