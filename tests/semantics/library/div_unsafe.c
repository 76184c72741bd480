// real: yes
#include <assert.h>
#include <stdlib.h>
int main(void) {
  div_t a = div(-7, 2);
  assert(a.quot == -4);
  return 0;
}
