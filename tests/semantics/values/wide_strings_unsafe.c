// An escape is one character however long its number.
#include <assert.h>
#include <wchar.h>
wchar_t wide[] = L"\x1234";
int main(void) {
    assert(wide[0] == 0x34);
}
