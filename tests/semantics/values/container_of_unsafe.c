// From a member back to its object, by both ways to write the distance.
#include <assert.h>
#include <stddef.h>

struct link {
    struct link *next;
};
struct item {
    int before;
    struct link link;
    int after[3];
} it;

#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define list_entry(p, type, member) \
    ({ const typeof(((type *)0)->member) *q = (p); (type *)((char *)q - (unsigned long)(&((type *)0)->member)); })

int main(void) {
    struct link *p = &it.link;
    container_of(p, struct item, link)->after[1] = 5;
    list_entry(p, struct item, link)->before = 4;
    assert(it.after[1] == 5 && it.before == 4);
    assert(offsetof(struct item, link) == 8 && offsetof(struct item, after[2]) == 4);
    assert((unsigned long)&((struct item *)0)->after == 16);
    return 0;
}
