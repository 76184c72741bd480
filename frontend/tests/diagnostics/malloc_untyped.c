#include <stdlib.h>
int main(void)
{
    void *p = malloc(8);
    return p == 0;
}
