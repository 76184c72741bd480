// unsafe
#include <assert.h>
static int n = 1;
static int bump(void) { n = 5; return 1; }
int main(void)
{
    n += bump();
    assert(n == 2);
    return 0;
}
