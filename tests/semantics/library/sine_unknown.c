// what the functions of <math.h> give is not computed, but for those that round
#include <assert.h>
#include <math.h>
int main(void) {
  double half = 0.5;
  assert(sin(half) == 0);
  return 0;
}
