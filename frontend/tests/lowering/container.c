// safe
#include <assert.h>
#include <stddef.h>
struct link { struct link *next; };
struct item { int v, w; struct { int pad; struct link link; } in; };
#define OUTER(p, T, m) ((T *)((char *)(p) - offsetof(T, m)))
#define CHECKED(p, T, m) ({ const __typeof__(((T *)0)->m) *q_ = (p); (T *)((char *)q_ - offsetof(T, m)); })
int main(void)
{
    static const int size = 2;
    const int more = size + 1;
    struct item a = { 4, 5 }, b[more];
    struct link *l = &a.in.link;
    b[size].v = 7;
    l->next = &b[2].in.link;
    assert(OUTER(l, struct item, in.link)->w == 5);
    assert(CHECKED(l->next, struct item, in.link)->v == 7);
    return 0;
}
