#include <stdlib.h>
int main(int argc, char **argv)
{
    int *p = malloc(argc * sizeof *p);
    return p == 0;
}
