// gcc's __sync functions: those named fetch first give the old value, the others the new one.
#include <assert.h>
int x = 10;
int main(void) {
    int a = __sync_fetch_and_add(&x, 5), b = __sync_add_and_fetch(&x, 1);
    int c = __sync_fetch_and_sub(&x, 6), d = __sync_sub_and_fetch(&x, 2);
    assert(a == 10 && b == 16 && c == 16 && d == 8);
    int e = __sync_fetch_and_or(&x, 3), f = __sync_and_and_fetch(&x, 6), g = __sync_xor_and_fetch(&x, 1);
    assert(e == 8 && f == 2 && g == 3);
    int h = __sync_nand_and_fetch(&x, 1);
    assert(h == -2);
    __sync_synchronize();
    int i = __sync_lock_test_and_set(&x, 1);
    assert(i == -2 && x == 1);
    __sync_lock_release(&x);
    assert(x == 0);
    assert(__sync_bool_compare_and_swap(&x, 0, 7) && x == 7);
    assert(__sync_val_compare_and_swap(&x, 1, 3) == 7 && x == 7);
}
