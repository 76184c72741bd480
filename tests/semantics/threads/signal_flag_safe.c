// A handler may run at any time once it is set, not before.
#include <assert.h>
#include <signal.h>
volatile sig_atomic_t stop;
int n;
void handler(int s) { stop = s; }
int main(void) {
  assert(!stop);
  assert(signal(SIGINT, handler) == SIG_DFL);
  while (!stop && n < 3) n++;
  assert(n == 3 || stop == SIGINT);
  assert(signal(SIGINT, SIG_IGN) == handler);
  return 0;
}
