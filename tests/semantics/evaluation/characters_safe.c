// assumes: characters are those of the C locale
// Classes of characters.
#include <assert.h>
#include <ctype.h>
int nondet_int(void);
int main(void) {
    int c = nondet_int();
    if (c < 0 || c > 127)
        return 0;
    if (isdigit(c))
        assert(c - '0' >= 0 && c - '0' <= 9);
    assert(!isalpha('5') && isalpha('x') && isspace('\t') && !isupper('a'));
    assert(toupper('q') == 'Q' && tolower('Q') == 'q' && toupper('1') == '1');
}
