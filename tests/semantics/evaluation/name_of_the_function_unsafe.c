// real: yes
#include <assert.h>
#include <string.h>
static const char *name(void) { return __func__; }
int main(void) {
  assert(strcmp(name(), __func__) == 0);
  return 0;
}
