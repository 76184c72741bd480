// what the functions of <math.h> give is not computed
#include <assert.h>
#include <math.h>
int main(void) {
  double half = 0.5;
  assert(floor(half) == 0);
  return 0;
}
