// reason: no proof: arithmetic on bytes of memory for objects is not supported
/* The bytes of a record are written one by one, and its members read. */
#include <assert.h>
#include <stdlib.h>
struct record { int n; int m; };
static void *block(void) {
    char *p = malloc(sizeof(struct record));
    for (unsigned i = 0; i < sizeof(struct record); i++) p[i] = 1;
    return p;
}
static int first(void) {
    struct record *r = (struct record *)block();
    return r->n;
}
int main(void) {
    assert(first() == 0x01010101);
    return 0;
}
