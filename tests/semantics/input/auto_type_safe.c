// __auto_type in nested macros and of arrays, as <stdatomic.h> has it.
#include <assert.h>
#include <stdatomic.h>
#define GREATER(a, b) ({ __auto_type p_ = (a); __auto_type q_ = (b); p_ > q_ ? p_ : q_; })
atomic_int slots[3], next;
int main(void) {
    atomic_store(slots, 4);
    atomic_fetch_add(&slots[atomic_fetch_add(&next, 1)], GREATER(1, GREATER(3, 2)));
    assert(atomic_load(slots) == 7 && next == 1);
}
