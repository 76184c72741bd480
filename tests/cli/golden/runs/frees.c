// valid-memsafety
#include <stdlib.h>
int main(void) {
    int *a = malloc(sizeof *a);
    int *b = malloc(sizeof *b);
    free(a);
    free(b);
    free(a);
    free(NULL);
    return 0;
}
