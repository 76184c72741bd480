#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(int argc, char **argv) {
  int c = getchar();
  assert(c >= 0 && c < 256);
  return 0;
}
