// What assembler does is not known, but nobody comes there.
#include <assert.h>
static int on;
static int read_it(void)
{
    int n;
    __asm__ volatile("rdpmc" : "=a"(n));
    return n;
}
int main(void)
{
    int n = 1;
    if (on)
        n = read_it();
    assert(n == 2);
}
