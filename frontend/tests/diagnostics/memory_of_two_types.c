#include <stdlib.h>
int main(void)
{
    char *bytes = malloc(8);
    bytes[0] = 1;
    void *same = bytes;
    int *number = same;
    return *number;
}
