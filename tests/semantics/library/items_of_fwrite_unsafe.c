// relyant: --property no-data-race
// fwrite reads so many objects of a size
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int numbers[4];
static void *other(void *unused) {
  fwrite(numbers, sizeof(int), 2, stdout);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  numbers[1] = 1;
  pthread_join(t, 0);
  return 0;
}
