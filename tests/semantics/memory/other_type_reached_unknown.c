// reason: no proof: a `char *` seen as a `struct head *` is not supported (line 14
// Bytes seen as a struct: no verdict rests on them.
#include <assert.h>
struct head {
    unsigned magic, speed;
};
struct block {
    int n;
    char data[48];
};
static struct block b;
static unsigned magic(struct block *x)
{
    struct head *h = (struct head *)x->data;
    return h->magic;
}
int main(void)
{
    int n = 0;
    b.n = 1;
    if (b.n)
        n = magic(&b);
    assert(n == 0);
}
