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
  char text[] = ",a,,b";
  char *rest;
  int words = 0;
  for (char *w = strtok_r(text, ",", &rest); w; w = strtok_r(0, ",", &rest)) words++;
  assert(words == 2);
  return 0;
}
