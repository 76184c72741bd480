// Elements of an array at a struct's end lie behind the other members and apart from each other.
#include <assert.h>
#include <stdlib.h>
struct list {
    int length;
    int items[];
};
int main(void) {
    struct list *l = calloc(1, sizeof *l + 2 * sizeof(int));
    l->length = 2;
    l->items[1] = 5;
    assert(l->items[0] == 5);
}
