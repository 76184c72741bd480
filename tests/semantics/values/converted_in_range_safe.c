// assumes: floating-point numbers fit the integers that they are converted to
#include <assert.h>
int main(int argc, char **argv) {
  double x = argc > 1 ? 1e10 : 2.5;
  int n = (int)x;
  assert(n == 2);
  return 0;
}
