// relyant: --property no-data-race
// write reads as many bytes as it is told
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char text[8];
static void *other(void *unused) {
  write(1, text, 4);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  text[3] = 1;
  pthread_join(t, 0);
  return 0;
}
