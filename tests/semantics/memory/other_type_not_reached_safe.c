// Bytes seen as a struct, where nobody comes.
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
    if (b.n)
        n = magic(&b);
    assert(n == 0);
}
