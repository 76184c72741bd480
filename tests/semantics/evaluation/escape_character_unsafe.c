// gcc's `\e` is the character 27.
// real: yes
#include <assert.h>
int main(void) {
    const char bold[] = "\e[1m\\e";
    assert(bold[4] == 27);
}
