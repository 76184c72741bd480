// The object of a block is another one at each entry.
#include <assert.h>
int main(void) {
    int last = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            x = 7;
        last = x;
    }
    assert(last == 7);
}
