// real: yes
// A compare-exchange compares all members, and where it fails the value expected is the one that was there.
#include <assert.h>
#include <stdatomic.h>
struct pair { short a, b; float f; };
_Atomic struct pair p = {1, 2, 0.5f};
int main(void) {
    struct pair e = {1, 3, 0.5f}, d = {4, 5, 1.5f};
    assert(!atomic_compare_exchange_strong(&p, &e, d));
    assert(e.a == 1 && e.b == 2 && e.f == 0.5f);
    e.f = 1;
    assert(!atomic_compare_exchange_strong_explicit(&p, &e, d, memory_order_acq_rel, memory_order_acquire));
    assert(e.f == 0.5f);
    assert(atomic_compare_exchange_strong(&p, &e, d));
    assert(e.a == 1 && e.b == 2);
    e = atomic_exchange(&p, e);
    assert(e.a == 4 && e.b == 5 && e.f == 1.5f);
    e = atomic_exchange_explicit(&p, d, memory_order_relaxed);
    assert(e.a == 1 && e.b == 2 && e.f == 0.5f);
    e = d = p;
    assert(e.b == 5 && d.b == 5);
}
