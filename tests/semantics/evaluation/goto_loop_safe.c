// `goto` into and out of a loop.
#include <assert.h>
int main(void) {
    int i = 3, n = 0;
    goto inside;
    for (i = 0; i < 5; i++) {
inside:
        n++;
        if (n == 100)
            goto out;
    }
out:
    assert(n == 2);
}
