// real: yes
// what does not fit is counted, and not written
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(int argc, char **argv) {
  char text[4];
  int length = snprintf(text, sizeof text, "%s", "abcdef");
  assert(length == 6 && strcmp(text, "abc") == 0);
  return 0;
}
