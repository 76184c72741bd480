// relyant: --check memory
// A local of a block is gone after it, in each copy of a function that makes memory.
#include <stdlib.h>
static int *made(int n) {
    int *kept;
    {
        int local = n;
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
