// Where memory is checked `realloc` gives a new block with the old contents, and the old one is gone.
// relyant: --check memory
#include <stdlib.h>
int main(void) {
    int *p = malloc(2 * sizeof(int));
    if (!p) return 0;
    int *q = realloc(p, 2 * sizeof(int));
    if (q) p[1] = 5;
    free(q);
}
