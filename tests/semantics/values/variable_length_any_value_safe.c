// What an array of variable length holds at first is any value, of its last element too; what was stored stays.
#include <assert.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
static void *stop(void *unused) { return unused; }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n <= 0 || n >= 700)
        return 0;
    int a[n];
    pthread_t other;
    pthread_create(&other, NULL, stop, NULL);
    a[n - 1] = 7;
    assert(a[n - 1] == 7);
    return 0;
}
