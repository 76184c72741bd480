#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int c, n = 0;
  while ((c = getopt(argc, argv, "ab:")) != -1) {
    switch (c) {
    case 'a': n = 1; break;
    case 'b': assert(optarg != 0); n = 2; break;
    case '?': return 1;
    default: assert(0);
    }
  }
  assert(n <= 2);
  return 0;
}
