// gcc's `\e` is the character 27.
// real: yes
#include <assert.h>
int main(void) {
    const char bold[] = "\e[1m\\e";
    assert('\e' == 27 && bold[0] == 27 && bold[1] == '[' && bold[4] == '\\' && bold[5] == 'e');
}
