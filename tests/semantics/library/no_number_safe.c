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
  const char *text = "+";
  assert(strtoul(text, &end, 10) == 0 && end == text);
  return 0;
}
