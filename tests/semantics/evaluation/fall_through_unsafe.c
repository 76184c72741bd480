// `switch` falls through to the next label.
#include <assert.h>
int nondet_int(void);
int f(int n) {
    int r = 0;
    switch (n) {
    case 1:
        r += 1;
    case 2:
        r += 10;
        break;
    default:
        r = 100;
    case 7 ... 9:
        r += 1000;
    }
    return r;
}
int main(void) {
    assert(f(1) == 1 && f(2) == 10 && f(8) == 1000);
    int n = nondet_int();
    if (n < 1 || n > 9)
        assert(f(n) == 1100);
}
