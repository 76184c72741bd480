// real: yes
#include <assert.h>
extern int a[];
static int get(int k) { return a[k]; }
int a[3] = {1, 2, 3};
int main(void) {
  assert(get(2) == 3 && sizeof a == 3 * sizeof(int));
  return 0;
}
