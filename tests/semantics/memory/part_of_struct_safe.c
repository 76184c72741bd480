// Memory for the first members of a struct has those.
// relyant: --property valid-memsafety
#include <stdlib.h>
struct triple {
    int a, b;
    long c;
};
int main(void) {
    struct triple *p = malloc(8);
    if (!p) return 0;
    p->b = 1;
    int *q = malloc(10);
    if (q) q[1] = 1;
    free(q);
    free(p);
}
