#include <stdlib.h>
static int *make(void)
{
    return malloc(sizeof(int));
}
int main(void)
{
    for (int i = 0; i < 3; i++)
        *make() = i;
    return 0;
}
