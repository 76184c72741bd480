// The limits in float.h are constants with more precision, made doubles.
// real: yes
#include <assert.h>
#include <float.h>
int main(void) {
    double huge = DBL_MAX;
    assert(huge > 1e308 && huge * 2 > huge && 1 + DBL_EPSILON > 1 && 1 + DBL_EPSILON / 2 == 1 && DBL_MIN > 0);
    assert((float)0.1L == 0.1f && FLT_MAX < huge);
}
