// Before or after: the value of `++`.
#include <assert.h>
int main(void) {
    int i = 5;
    int a = i++, b = ++i, c = i--, d = --i;
    assert(a == 5 && b == 7 && c == 7 && d == 5 && i == 5);
}
