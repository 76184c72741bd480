// relyant: --check memory
// An array of variable length ends with its function.
#include <assert.h>
static int *kept;
static int filled(int n)
{
    int v[n];
    v[n - 1] = 3;
    kept = v;
    return *(kept + n - 1);
}
int main(void)
{
    assert(filled(2) == 3);
    return 0;
}
