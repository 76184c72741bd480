// The characters of wide strings are numbers of their own types.
#include <assert.h>
#include <wchar.h>
wchar_t wide[] = L"\x1234" L"b";
unsigned short half[] = u"ab";
int main(void) {
    const wchar_t *text = L"xy";
    assert(wide[0] == 0x1234 && wide[1] == 'b' && sizeof wide == 12);
    assert(half[1] == 'b' && sizeof half == 6);
    assert(text[1] == L'y' && sizeof(L'x') == 4 && sizeof(u"a"[0]) == 2);
    assert(L'\xff' == 255 && '\xff' == -1 && 'ab' == 'a' * 256 + 'b');
}
