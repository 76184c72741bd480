// What is written as -1 is read as the greatest unsigned number.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    void *block = malloc(8);
    int *signed_one = block;
    unsigned *unsigned_one = block;
    *signed_one = -1;
    assert(*unsigned_one != 0xffffffffu);
    return 0;
}
