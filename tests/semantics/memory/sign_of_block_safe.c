// Blocks written as signed integers and read as unsigned ones, and the other way round.
// real: yes
#include <assert.h>
#include <stdlib.h>
static int large(const unsigned *p, int n) {
    int found = 0;
    for (int i = 0; i < n; i++)
        found += p[i] > 0x7fffffffu;
    return found;
}
int main(void) {
    int *x = malloc(3 * sizeof *x);
    x[0] = -1;
    x[1] = 2;
    x[2] = -5;
    assert(large((const unsigned *)x, 3) == 2);
    void *block = malloc(8);
    int *signed_one = block;
    unsigned *unsigned_one = block;
    *signed_one = -1;
    assert(*unsigned_one == 0xffffffffu);
    unsigned char *c = malloc(4);
    c[1] = 200;
    signed char *s = (signed char *)c;
    assert(s[1] == -56);
    return 0;
}
