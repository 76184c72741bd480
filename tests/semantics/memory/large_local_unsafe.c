#include <assert.h>
int main(void) {
    int slots[700];
    slots[0] = 3;
    assert(slots[1] != 4);
}
