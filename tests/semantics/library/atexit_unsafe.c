// real: yes
#include <assert.h>
#include <stdlib.h>
static int step;
static void first(void) { assert(step == 1); }
static void second(void) { step = 2; }
int main(void) {
  atexit(first);
  atexit(second);
  step = 1;
  return 0;
}
