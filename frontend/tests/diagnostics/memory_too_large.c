#include <stdlib.h>
int main(void)
{
    int *p = malloc(1 << 28);
    return p[0];
}
