// A struct that ends in an array of any length, with room for three elements.
#include <assert.h>
#include <stdlib.h>
struct message {
    char kind;
    long length;
    struct pair {
        int a;
        short b;
    } parts[];
};
int main(void) {
    struct message *m = malloc(sizeof(struct message) + 3 * sizeof(struct pair));
    m->length = 3;
    for (int i = 0; i < 3; i++) {
        m->parts[i].a = i;
        m->parts[i].b = 10 * i;
    }
    assert(m->length == 3 && m->parts[0].a == 0 && m->parts[1].b == 10 && m->parts[2].a == 2);
    struct pair *last = &m->parts[m->length - 1];
    assert(last->b == 20);
    free(m);
}
