// Not where the program is aborted.
#include <assert.h>
#include <stdlib.h>
static int n;
static void last(void) { assert(n == 1); }
int main(int argc, char **argv) {
  atexit(last);
  if (argc > 1) abort();
  if (argc > 2) _Exit(1);
  n = 1;
  return 0;
}
