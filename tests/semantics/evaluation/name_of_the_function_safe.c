// real: yes
#include <assert.h>
#include <string.h>
static const char *name(void) { return __func__; }
int main(void) {
  assert(sizeof __func__ == 5 && sizeof(__FUNCTION__) == 5 && strcmp(__func__, "main") == 0);
  assert(name() == name() && strcmp(name(), "name") == 0 && __func__[1] == 'a' && *&__func__[4] == 0);
  switch (sizeof(__func__)) {
  case 5: __attribute__((unused)) int k = 4; assert(k == 4); break;
  default: assert(0);
  }
  return 0;
}
