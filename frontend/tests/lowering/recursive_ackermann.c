// recursive:safe
#include <assert.h>
int steps;
int ack(int m, int n) {
  steps++;
  if (m == 0) return n + 1;
  if (n == 0) return ack(m - 1, 1);
  return ack(m - 1, ack(m, n - 1));
}
int main(void) {
  assert(ack(2, 2) == 7);
  assert(steps == 27);
}
