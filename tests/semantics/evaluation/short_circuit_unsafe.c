// The right side of `&&` and `||` is evaluated only where the left does not decide.
#include <assert.h>
int calls;
int yes(void) {
    calls++;
    return 1;
}
int no(void) {
    calls += 10;
    return 0;
}
int main(void) {
    int a = no() && yes();
    int b = yes() || no();
    int c = yes() && no();
    assert(a == 0 && b == 1 && c == 0);
    assert(calls == 23);
}
