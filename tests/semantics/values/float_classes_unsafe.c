// Infinite numbers, and what is no number.
// real: yes
#include <assert.h>
#include <math.h>
int main(void) {
    float f = 3e38f;
    assert(!isinf(f * 10));
}
