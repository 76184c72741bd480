// Where memory is checked `realloc` gives a new block with the old contents, and the old one is gone.
// relyant: --check memory
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(2 * sizeof(int));
    if (!p) return 0;
    p[0] = 3;
    p[1] = 4;
    int *q = realloc(p, 4 * sizeof(int));
    if (!q) {
        free(p);
        return 0;
    }
    q[3] = 5;
    assert(q[0] == 3 && q[1] == 4);
    q = realloc(q, sizeof(int));
    assert(q[0] == 3);
    free(q);
}
