// relyant: --property valid-memsafety
// violation: write to what is defined const
#include <string.h>
static const char word[4] = "abc";
int main(void) {
  memset((void *)word, 0, 2);
  return word[0];
}
