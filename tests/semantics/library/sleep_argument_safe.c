// relyant: --property no-data-race
// also where nothing depends on it
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned length[2];
static void *other(void *unused) {
  sleep(length[0]);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  length[1] = 1;
  pthread_join(t, 0);
  return 0;
}
