// Casts between widths and signedness.
#include <assert.h>
int main(void) {
    int big = 0x12345;
    assert((char)big == 0x45 && (short)big == 0x2345);
    assert((unsigned char)-1 == 255 && (signed char)200 == -56);
    assert((unsigned)-1 == 4294967295u && (long)(unsigned)-1 == 4294967295);
    assert((unsigned long)-1 == 18446744073709551615ul);
    assert((int)(signed char)(unsigned char)130 == -126);
}
