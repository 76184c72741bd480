// Qualifiers of what a pointer leads to, and `signed char`, choose in a selection.
// real: yes
#include <assert.h>
#include <stdint.h>
#define KIND(x) _Generic((x), char: 1, signed char: 2, char *: 3, const char *: 4, default: 5)
#define PLAIN(x) _Generic((x), int *: 1, default: 2)
int main(void) {
    char c = 0, text[] = "a";
    signed char s = 0;
    int8_t small = 0;
    const char *fixed = text;
    const int k = 0;
    int n = k;
    assert(KIND(c) == 1 && KIND(s) == 2 && KIND(small) == 2 && KIND(text) == 3 && KIND(&c) == 3 && KIND("b") == 3);
    assert(KIND(fixed) == 4 && KIND(fixed + 1) == 4 && KIND((const char *)text) == 4 && KIND(*fixed) == 1);
    assert(PLAIN(&n) == 1 && PLAIN(&k) == 2);
}
