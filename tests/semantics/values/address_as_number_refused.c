// Where objects lie in bytes is not known here.
#include <assert.h>
#include <stdint.h>
int cells[4];
int main(void) {
    int *p = &cells[1], *q = &cells[3];
    assert((uintptr_t)q - (uintptr_t)p == 8);
}
