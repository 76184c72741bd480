// relyant: --property no-data-race
// What a failing compare-exchange of a struct leaves unordered is beyond us.
#include <stdatomic.h>
struct pair { int full, n; };
_Atomic struct pair p;
int main(void) {
    struct pair old = p;
    atomic_compare_exchange_strong_explicit(&p, &old, old, memory_order_acq_rel, memory_order_relaxed);
}
