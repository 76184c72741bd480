// real: yes
#include <assert.h>
#include <stddef.h>
int main(int argc, char **argv) {
  int n = argc;
  assert(argv[argc] == NULL);
  argc = 0;
  assert(argv[n] == 0);
  if (n > 0) assert(argv[0] != NULL);
  return 0;
}
