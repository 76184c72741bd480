// An uninitialised local holds any value of its type.
#include <assert.h>
int main(void) {
    unsigned char x;
    assert(x <= 254);
}
