#include <assert.h>
#include <signal.h>
#include <string.h>
static volatile sig_atomic_t seen;
static void note(int n) { seen = n; }
int main(void) {
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_handler = note;
  sigaction(SIGINT, &sa, NULL);
  assert(seen == 0);
  return 0;
}
