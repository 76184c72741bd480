// safe
#include <assert.h>
// What is known of globals before a call is not known after it.
int x, y;
void set(void) { x = 7; }
void bump(int n) { if (n > 0) bump(n - 1); y = y + 1; }
void (*later)(void);
int main(void) {
  later = set;
  x = 1;
  later();
  assert(x == 7);
  bump(1);
  assert(y == 2);
}
