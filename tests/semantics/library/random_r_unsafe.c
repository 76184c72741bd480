#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
static struct random_data state;
static char room[64];
int main(void) {
  int n;
  memset(&state, 0, sizeof state);
  initstate_r(1, room, sizeof room, &state);
  random_r(&state, &n);
  assert(n > 0);
  return 0;
}
