// Which bucket an address falls into is not known here, nor whether two fall into the same.
#include <assert.h>
#include <stdint.h>
int a, b;
static int bucket(int *p) {
    return (int)((unsigned)(uintptr_t)p % 7);
}
int main(void) {
    assert(bucket(&a) != bucket(&b));
}
