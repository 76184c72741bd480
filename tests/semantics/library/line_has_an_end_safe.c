#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(int argc, char **argv) {
  char line[4];
  if (fgets(line, sizeof line, stdin)) assert(strlen(line) < 4);
  return 0;
}
