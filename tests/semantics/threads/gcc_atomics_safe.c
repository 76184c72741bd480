// gcc's __atomic functions.
#include <assert.h>
int x = 1, y;
char flag;
int main(void) {
    int a = __atomic_fetch_add(&x, 2, __ATOMIC_SEQ_CST), b = __atomic_add_fetch(&x, 2, __ATOMIC_SEQ_CST);
    assert(a == 1 && b == 5);
    int c = __atomic_exchange_n(&x, 8, __ATOMIC_SEQ_CST), d = __atomic_load_n(&x, __ATOMIC_SEQ_CST);
    assert(c == 5 && d == 8);
    __atomic_store_n(&x, 3, __ATOMIC_SEQ_CST);
    __atomic_load(&x, &y, __ATOMIC_SEQ_CST);
    assert(y == 3);
    int new = 4, old;
    __atomic_exchange(&x, &new, &old, __ATOMIC_SEQ_CST);
    assert(old == 3 && x == 4);
    int expected = 3;
    _Bool ok = __atomic_compare_exchange_n(&x, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(!ok && expected == 4 && x == 4);
    new = 6;
    ok = __atomic_compare_exchange(&x, &expected, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(ok && x == 6);
    assert(!__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    assert(__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    __atomic_clear(&flag, __ATOMIC_SEQ_CST);
    assert(!flag);
    assert(__atomic_nand_fetch(&x, 2, __ATOMIC_SEQ_CST) == -3);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
