// real: yes
// Bytes of an integer: others keep their values.
#include <assert.h>
int main(void) {
    unsigned x = 0x01020304;
    ((unsigned char *)&x)[2] = 0x80;
    assert(x != 0x01800304);
}
