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
  char *end;
  assert(strtol(" -0x1fz", &end, 0) == -31 && *end == 'z');
  return 0;
}
