// relyant: --check memory
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
  sprintf(text, "%d", atoi("-999"));
  return 0;
}
