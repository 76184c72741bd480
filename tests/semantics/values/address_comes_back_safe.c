#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *old = malloc(sizeof *old);

    int *new = malloc(sizeof *new);
    assert(old != new);
    return 0;
}
