// real: yes
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(int argc, char **argv) {
  char *copy = strdup("abc");
  copy[1] = 'x';
  assert(strcmp(copy, "axc") == 0);
  free(copy);
  return 0;
}
