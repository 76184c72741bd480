// A jump over a declaration leaves the object uninitialised: any value.
#include <assert.h>
int main(void) {
    int n = 0;
    goto inside;
    {
        int x = 3;
inside:
        n = x;
    }
    assert(n == 3);
}
