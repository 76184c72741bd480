// what the functions of <math.h> give is not computed
// reason: the run relies on the value of `floor`
#include <assert.h>
#include <math.h>
int main(void) {
  double half = 0.5;
  assert(floor(half) == 0);
  return 0;
}
