// A declaration passed again makes a fresh object with any value.
#include <assert.h>
int main(void) {
    int round = 0;
    int x;
again:
    round++;
    if (round == 1) {
        x = 4;
        goto again;
    }
    assert(x == 4);
}
