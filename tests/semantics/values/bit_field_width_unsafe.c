// The difference has 40 bits, not 64.
#include <assert.h>
struct word {
    unsigned long wide : 40;
} w;
int main(void) {
    assert(w.wide - 1 == ~0UL);
}
