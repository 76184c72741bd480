/* Members of a union have one address, but not one scalar. */
#include <assert.h>
union view { int number; struct { short low, high; } half; char bytes[4]; } view;
int main(void) {
    view.number = 1;
    view.half.high = 1;
    view.bytes[0] = 2;
    assert((void *)&view.half == (void *)view.bytes);
    return 0;
}
