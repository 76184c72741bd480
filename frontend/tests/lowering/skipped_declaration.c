// unsafe
#include <assert.h>
int main(void)
{
    goto in;
    {
        int n = 4;
    in:
        assert(n == 0);
    }
    return 0;
}
