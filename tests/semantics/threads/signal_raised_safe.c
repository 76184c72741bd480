// raise runs the handler before it returns; without one the program ends.
#include <assert.h>
#include <signal.h>
volatile sig_atomic_t got;
void handler(int s) { got = s; }
int main(void) {
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  assert(got == SIGUSR1);
  raise(SIGTERM);
  assert(0);
  return 0;
}
