// Each slot is changed under the lock that lies in it: one slot, with its lock, stands for all.
#include <assert.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
struct slot {
    pthread_mutex_t lock;
    int busy;
} slots[10];
static void use(int k)
{
    if (k < 0 || k > 9)
        return;
    pthread_mutex_lock(&slots[k].lock);
    slots[k].busy = slots[k].busy + 1;
    assert(slots[k].busy == 1);
    slots[k].busy = slots[k].busy - 1;
    pthread_mutex_unlock(&slots[k].lock);
}
static void *user(void *none)
{
    use(__VERIFIER_nondet_int());
    return none;
}
int main(void)
{
    pthread_t first, second;
    for (int k = 0; k < 10; k++)
        pthread_mutex_init(&slots[k].lock, NULL);
    pthread_create(&first, NULL, user, NULL);
    pthread_create(&second, NULL, user, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
