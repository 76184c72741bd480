// relyant: --check memory
// A local of a block is there as long as the block is.
#include <stdlib.h>
static int *made(int n) {
    int *kept;
    {
        static int local;
        local = n;
        kept = &local;
    }
    int *p = malloc(sizeof *p);
    *p = *kept;
    return p;
}
int main(void) {
    int *a = made(1), *b = made(2);
    int n = *a + *b;
    free(a);
    free(b);
    return n;
}
