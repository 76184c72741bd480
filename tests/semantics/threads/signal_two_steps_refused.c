#include <signal.h>
volatile sig_atomic_t a, b;
void handler(int s) { a = 1; b = 1; }
int main(void) {
  signal(SIGINT, handler);
  return a && !b;
}
