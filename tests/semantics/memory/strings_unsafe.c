// Strings are constant arrays, with a 0 at their end.
#include <assert.h>
char word[] = "abc";
int length(const char *s) {
    int n = 0;
    while (s[n])
        n++;
    return n;
}
int main(void) {
    const char *p = "hello";
    assert(length(p) == 6 && p[1] == 'e');
    word[0] = 'x';
    assert(sizeof word == 4 && word[3] == 0 && word[0] == 'x');
}
