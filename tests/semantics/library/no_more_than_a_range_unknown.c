// what a number in a text is as a double is not computed, so that a run that relies on it is no counterexample
// reason: the run relies on the value of `atof` (line 7)
#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
int main(void) {
  double x = atof("1.5");
  printf("%f\n", x);
  assert(x > 1);
  return 0;
}
