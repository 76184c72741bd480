// reason: no proof: assembler code (`rdpmc`) is not supported (line 8
// What assembler does is not known: no verdict rests on it.
#include <assert.h>
static int on = 1;
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
    assert(n == 1);
}
