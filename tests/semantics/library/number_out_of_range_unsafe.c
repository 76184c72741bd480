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
  errno = 0;
  assert(strtol("9223372036854775808", 0, 10) == LONG_MAX && errno != ERANGE);
  return 0;
}
