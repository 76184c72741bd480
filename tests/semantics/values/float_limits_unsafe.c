// The limits in float.h are constants with more precision, made doubles.
// real: yes
#include <assert.h>
#include <float.h>
int main(void) {
    assert(DBL_MIN / 2 == 0);
}
