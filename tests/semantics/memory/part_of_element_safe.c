// The last element lies in the block as a whole.
// relyant: --property valid-memsafety
#include <stdlib.h>
int main(void) {
    int *q = malloc(10);
    if (!q) return 0;
    q[1] = 1;
    free(q);
}
