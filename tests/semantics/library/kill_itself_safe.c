// real: yes
#include <assert.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t seen;
static void note(int n) { seen = n; }
int main(void) {
  signal(SIGUSR1, note);
  kill(getpid(), SIGUSR1);
  assert(seen == SIGUSR1);
  alarm(10);
  return 0;
}
