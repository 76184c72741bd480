#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(int argc, char **argv) {
  FILE *f = fopen("x", "r");
  assert(f != NULL);
  return 0;
}
