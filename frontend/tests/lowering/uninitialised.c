// unsafe
#include <assert.h>
int main(void)
{
    int a[2];
    assert(a[1] == 0);
    return 0;
}
