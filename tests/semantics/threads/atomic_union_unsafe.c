// real: yes
// An atomic union has the value that was written last.
#include <assert.h>
#include <stdatomic.h>
union word { int n; unsigned u; };
_Atomic union word w = {5};
int main(void) {
    union word x = w, y = {6};
    assert(x.n == 5);
    w = y;
    assert(!atomic_compare_exchange_strong(&w, &x, y) && x.u == 6);
    y.n = 7;
    assert(atomic_compare_exchange_strong(&w, &x, y));
    x = atomic_load(&w);
    assert(x.u == 6);
}
