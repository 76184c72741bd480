// It may come between two reads.
#include <assert.h>
#include <signal.h>
volatile sig_atomic_t stop;
void handler(int s) { stop = 1; }
int main(void) {
  signal(SIGINT, handler);
  int a = stop, b = stop;
  assert(a == b);
  return 0;
}
