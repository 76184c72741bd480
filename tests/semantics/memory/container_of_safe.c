// From a member back to the struct it is in.
#include <assert.h>
#include <stddef.h>
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
struct item { int key; struct link { struct link *next; } link; int value; };
struct item a = {1, {0}, 10}, b = {2, {0}, 20};
int main(void) {
    struct link *head = &a.link;
    a.link.next = &b.link;
    struct item *second = container_of(head->next, struct item, link);
    assert(second->key == 2 && second->value == 20);
}
