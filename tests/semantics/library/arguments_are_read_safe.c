// relyant: --property no-data-race
// an argument of a library function is evaluated as a value
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int status;
static int more;
static void *other(void *unused) {
  status = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  exit(more);
  pthread_join(t, 0);
  return 0;
}
