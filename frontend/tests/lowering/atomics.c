// safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n = 2;
static atomic_flag door = ATOMIC_FLAG_INIT;
static int inside, plain;
static void *user(void *a)
{
    while (atomic_flag_test_and_set_explicit(&door, memory_order_acquire))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_flag_clear(&door);
    atomic_fetch_sub(&n, 1);
    __sync_fetch_and_add(&plain, 2);
    return a;
}
int main(void)
{
    pthread_t t;
    int seen = 7;
    assert(!atomic_compare_exchange_strong(&n, &seen, 9) && seen == 2);
    assert(atomic_compare_exchange_strong(&n, &seen, 4) && atomic_load(&n) == 4);
    assert(atomic_exchange(&n, 2) == 4);
    assert(__sync_val_compare_and_swap(&plain, 0, 1) == 0 && __sync_bool_compare_and_swap(&plain, 5, 6) == 0);
    assert(__atomic_add_fetch(&plain, 1, __ATOMIC_SEQ_CST) == 2 && __atomic_fetch_nand(&plain, 3, __ATOMIC_SEQ_CST) == 2);
    assert(plain == -3);
    plain = 0;
    pthread_create(&t, 0, user, 0);
    user(0);
    pthread_join(t, 0);
    assert(n == 0 && plain == 4);
    return 0;
}
