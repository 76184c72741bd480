// Types of one size need not be compatible.
#include <assert.h>
int main(void) {
    unsigned x = 0;
    assert(__builtin_types_compatible_p(__typeof__(x), int));
}
