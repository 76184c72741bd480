// Infinite numbers, and what is no number.
// real: yes
#include <assert.h>
#include <math.h>
int main(void) {
    double zero = 0, huge = 1 / zero, none = zero / zero;
    float small = 1e-40f;
    assert(isinf(huge) && isinf(-huge) && !isinf(none) && !isinf(1e308));
    assert(isnan(none) && !isnan(huge) && !isnan(small));
    assert(isfinite(small) && isfinite(-1e308) && !isfinite(none) && !isfinite(-huge));
}
