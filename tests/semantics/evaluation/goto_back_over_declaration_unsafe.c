// A declaration passed again makes a fresh object with any value.
#include <assert.h>
int main(void) {
    int round = 0;
again:
    round++;
    int x;
    if (round == 1) {
        x = 4;
        goto again;
    }
    assert(x == 4);
}
