// relyant: --property no-data-race
// puts reads up to the first 0 and no further
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char text[4] = "a";
static void *other(void *unused) {
  puts(text);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  text[1] = 1;
  pthread_join(t, 0);
  return 0;
}
