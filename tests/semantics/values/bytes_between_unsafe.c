// real: yes
// Distances in bytes, and copies between integers of other signs.
#include <assert.h>
#include <string.h>
struct pair { long key; int value; } pairs[4];
int main(void) {
    int numbers[3] = {-1, 2, 3};
    unsigned copy[3];
    struct pair *p = &pairs[1], *q = &pairs[3];
    memcpy(copy, numbers, sizeof numbers);
    assert(copy[0] <= 3 && copy[2] == 3);
    assert((char *)q - (char *)p == 2 * sizeof(struct pair));
    assert((char *)&numbers[0] - (char *)&numbers[2] == -8);
}
