// safe
#include <assert.h>
static int next(void)
{
    static int n = 3;
    return ++n;
}
int main(void)
{
    int n = next();
    assert(n == 4);
    n = next();
    {
        int n = 7;
        assert(n == 7);
    }
    assert(n == 5);
    return 0;
}
