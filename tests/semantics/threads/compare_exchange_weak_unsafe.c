// A weak compare-exchange may fail though the values agree.
#include <assert.h>
#include <stdatomic.h>
int main(void) {
    atomic_int c = 5;
    int expected = 5;
    _Bool ok = atomic_compare_exchange_weak(&c, &expected, 9);
    assert(ok);
}
