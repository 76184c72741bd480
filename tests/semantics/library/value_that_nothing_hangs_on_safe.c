// an error that does not hang on the value is one
#include <assert.h>
#include <stdlib.h>
int main(void) {
  double x = atof("1.5");
  double y = x;
  assert(y == x || 1);
  return 0;
}
