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
  int n = atoi("-12");
  char text[8];
  int length = sprintf(text, "<%d>", n);
  assert(length == 5 && strcmp(text, "<-02>") == 0);
  return 0;
}
