// Arguments of a call are evaluated in any order.
#include <assert.h>
int n;
int next(void) { return ++n; }
int sub(int a, int b) { return a - b; }
int main(void) {
    int d = sub(next(), next());
    assert(d == -1 || d == 1);
}
