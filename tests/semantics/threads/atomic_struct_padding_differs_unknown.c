// reason: the run relies on the value of `padding of struct mixed`
// A compare-exchange compares padding, which nobody can tell.
#include <assert.h>
#include <stdatomic.h>
struct mixed { char c; int n; };
_Atomic struct mixed m;
int main(void) {
    struct mixed e, d = {1, 1};
    e.c = 0;
    e.n = 0;
    assert(atomic_compare_exchange_strong(&m, &e, d));
}
