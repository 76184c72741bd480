#include <signal.h>
static volatile sig_atomic_t seen, other;
static void note(int n) {
  seen = n;
  other = n;
}
int main(void) {
  static struct sigaction sa = {.sa_handler = note};
  sigaction(SIGINT, &sa, 0);
  return seen;
}
