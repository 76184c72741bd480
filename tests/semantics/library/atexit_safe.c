// real: yes
// What is registered last runs first, where main returns and where exit is called.
#include <assert.h>
#include <stdlib.h>
static int step;
static void first(void) { assert(step == 2); }
static void second(void) { assert(step == 1); step = 2; }
static void leave(void) { step = 1; exit(0); }
int main(int argc, char **argv) {
  atexit(first);
  if (atexit(second) != 0) return 1;
  if (argc > 1) leave();
  step = 1;
  return 0;
}
