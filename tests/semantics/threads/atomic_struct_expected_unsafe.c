// real: yes
// A compare-exchange compares all members: the last one differs.
#include <assert.h>
#include <stdatomic.h>
struct pair { short a, b; float f; };
_Atomic struct pair p = {1, 2, 0.5f};
int main(void) {
    struct pair e = {1, 2, 0.75f}, d = {4, 5, 1.5f};
    assert(atomic_compare_exchange_strong(&p, &e, d));
}
