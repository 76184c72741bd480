// The array has the handles of all threads, which do not wait for each other.
#include <assert.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;
static void *enter(void *unused)
{
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    return unused;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n <= 0 || n >= 900)
        return 0;
    pthread_t all[n];
    for (int k = 0; k < n; k++)
        pthread_create(all + k, NULL, enter, NULL);
    for (int k = 0; k < n; k++)
        pthread_join(all[k], NULL);
    return inside;
}
