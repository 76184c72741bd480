#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(int argc, char **argv) {
  if (argc > 1) {
    int n = atoi(argv[1]);
    assert(n <= INT_MAX);
  }
  return 0;
}
