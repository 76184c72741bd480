// real: yes
#include <assert.h>
#include <math.h>
int main(void) {
  volatile double h = 2.5, m = -2.5, r = 9.0;
  volatile float s = 2.0f;
  assert(floor(h) == 2.0 && ceil(h) == 3.0 && trunc(m) == -2.0 && round(h) == 3.0 && rint(h) == 2.0);
  assert(floor(m) == -3.0 && ceil(m) == -2.0 && round(m) == -3.0 && nearbyint(m) == -2.0);
  assert(sqrt(r) == 3.0 && fabs(m) == 2.5 && lround(h) == 3 && lrint(h) == 2);
  assert(sqrtf(s) * sqrtf(s) > 1.99f && sqrtf(s) < 1.5f && sqrt(-r) != sqrt(-r));
  return 0;
}
