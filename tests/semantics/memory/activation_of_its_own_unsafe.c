// Each activation of a function has locals of its own, addressed ones too.
#include <assert.h>
int depth(int n, int *up) {
    int here = n;
    if (n > 0)
        depth(n - 1, &here);
    *up = *up + 1;
    return here;
}
int main(void) {
    int top = 0;
    int r = depth(2, &top);
    assert(top == 1 && r == 2);
}
