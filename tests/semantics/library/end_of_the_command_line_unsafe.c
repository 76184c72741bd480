#include <assert.h>
#include <stddef.h>
int main(int argc, char **argv) {
  assert(argv[0] == NULL);
  return 0;
}
