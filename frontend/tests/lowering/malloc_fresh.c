// unsafe
#include <stdlib.h>
#include <assert.h>
int main(void)
{
    int *p = (int *)malloc(2 * sizeof(int));
    p[0] = 1;
    assert(p[1] == 0);
}
