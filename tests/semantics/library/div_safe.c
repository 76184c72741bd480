// real: yes
#include <assert.h>
#include <stdlib.h>
int main(void) {
  div_t a = div(-7, 2);
  assert(a.quot == -3 && a.rem == -1);
  ldiv_t b = ldiv(1L << 40, 3);
  assert(b.quot * 3 + b.rem == 1L << 40);
  assert(div(9, 5).rem == 4);
  return 0;
}
