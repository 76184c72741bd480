// relyant: --property valid-memsafety
#include <string.h>
static char word[4] = "abc";
int main(void) {
  memset((void *)word, 0, 2);
  return word[0];
}
