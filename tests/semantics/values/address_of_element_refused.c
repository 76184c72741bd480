// An element of an array is no object of its own: the bits of its address are not known here.
#include <assert.h>
#include <stdint.h>
int cells[4];
int main(int argc, char **argv) {
    int *p = &cells[argc & 3];
    assert(((uintptr_t)p & 3) == 0);
}
