#include <assert.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t seen;
static void note(int n) { seen = n; }
int main(void) {
  signal(SIGALRM, note);
  alarm(1);
  for (int i = 0; i < 3; i++)
    ;
  assert(seen == 0);
  return 0;
}
