// `do` runs once at least, `for` tests first.
#include <assert.h>
int main(void) {
    int n = 0;
    do
        n++;
    while (0);
    for (; 0;)
        n = 10;
    while (n < 3) {
        n++;
        if (n == 2)
            continue;
        if (n == 3)
            break;
    }
    assert(n == 3);
}
