// an error that does not hang on the value is one
#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
int main(void) {
  double x = atof("1.5");
  int n = rand();
  printf("%f\n", x);
  assert(n != 3);
  return 0;
}
