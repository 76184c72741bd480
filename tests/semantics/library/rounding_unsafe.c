// real: yes
#include <assert.h>
#include <math.h>
int main(void) {
  volatile double h = 3.5;
  assert(rint(h) == 3.0);
  return 0;
}
