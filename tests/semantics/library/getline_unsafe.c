// relyant: --check memory
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *line = 0;
  size_t room = 0;
  long n = getline(&line, &room, stdin);
  if (n < 0) return 1;
  assert(line[n - 1] == '\n');
  free(line);
  return 0;
}
