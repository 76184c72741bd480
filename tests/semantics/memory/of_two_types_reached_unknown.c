// reason: no proof: memory used for objects of different types is not supported
// Memory used for objects of different types: no verdict rests on it.
#include <assert.h>
#include <stdlib.h>
struct a {
    int n;
    short k, l;
};
struct b {
    short k, l;
    int n;
};
static int on = 1;
static int use(void)
{
    void *p = calloc(1, sizeof(struct a));
    struct a *x = p;
    struct b *y = p;
    x->n = 70000;
    return x->k + y->k + y->n;
}
int main(void)
{
    int n = 0;
    if (on)
        n = use();
    assert(n == 0);
}
