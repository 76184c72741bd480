// A compare-exchange that fails writes what it saw to *expected, and nothing else.
#include <assert.h>
#include <stdatomic.h>
int main(void) {
    atomic_int c = 5;
    int expected = 4;
    _Bool ok = atomic_compare_exchange_strong(&c, &expected, 9);
    assert(!ok);
    assert(expected == 4);
    assert(c == 5);
}
