// assumes: every memory order is sequentially consistent
// The forms with a memory order do the same.
#include <assert.h>
#include <stdatomic.h>
int main(void) {
    atomic_int c;
    atomic_init(&c, 1);
    int a = atomic_exchange_explicit(&c, 2, memory_order_acq_rel);
    int b = atomic_fetch_add_explicit(&c, 3, memory_order_relaxed);
    int d = atomic_fetch_sub_explicit(&c, 1, memory_order_relaxed);
    int e = atomic_fetch_or_explicit(&c, 3, memory_order_release);
    int f = atomic_fetch_and_explicit(&c, 6, memory_order_acquire);
    int g = atomic_fetch_xor_explicit(&c, 1, memory_order_consume);
    int h = atomic_load_explicit(&c, memory_order_acquire);
    atomic_store_explicit(&c, 9, memory_order_release);
    int expected = 9;
    _Bool i = atomic_compare_exchange_strong_explicit(&c, &expected, 1, memory_order_acq_rel, memory_order_relaxed);
    assert(a == 1 && b == 2 && d == 5 && e == 4 && f == 7 && g == 6 && h == 7);
    assert(i == 0 && c == 1 && expected == 9);
}
