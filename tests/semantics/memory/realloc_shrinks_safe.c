// A block that was made smaller has fewer elements.
// relyant: --property valid-memsafety
#include <stdlib.h>
int main(void) {
    char *p = malloc(10);
    if (!p) return 0;
    p[9] = 1;
    p = realloc(p, 2);
    if (p) p[1] = 1;
    free(p);
}
