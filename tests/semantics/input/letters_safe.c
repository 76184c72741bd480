// Identifiers may have letters of any alphabet, by themselves or by their universal names.
#include <assert.h>
#include <string.h>
int größe = 3;
int main(void) {
    int \u03b1 = 4;
    assert(gr\u00f6\u00dfe + α == 7);
    assert(strlen("\u00e9") == 2);
}
