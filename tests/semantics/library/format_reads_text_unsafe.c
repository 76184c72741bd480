// relyant: --property no-data-race
// %s reads its string, %p looks at the pointer only
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char text[4] = "a";
static void *other(void *unused) {
  printf("%s\n", text);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  text[0] = 1;
  pthread_join(t, 0);
  return 0;
}
