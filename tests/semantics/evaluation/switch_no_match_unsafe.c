// A switch without a matching label and without default does nothing; break and continue go where they belong.
#include <assert.h>
int main(void) {
    int seen = 0;
    for (int i = 0; i < 4; i++) {
        switch (i) {
        case 1: continue;
        case 2: break;
        }
        seen += 1 << i;
    }
    assert(seen == 15);
}
