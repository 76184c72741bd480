// unsafe
#include <assert.h>
static int n;
static int bump(void) { return ++n; }
int main(void)
{
    int sum = n + bump();
    assert(sum == 1);
    return 0;
}
