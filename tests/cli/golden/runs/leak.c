// valid-memsafety
#include <stdlib.h>

int main(void) {
    int *a = malloc(sizeof *a);
    if (!a)
        return 1;
    *a = 5;
    return 0;
}
