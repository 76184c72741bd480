// Every compound assignment of an `_Atomic` object is one step, and gives the new value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uint bits;
atomic_int n = 8;
void *worker(void *arg) {
    bits |= (unsigned)(long)arg;
    n -= 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, (void *)1);
    worker((void *)2);
    int before = n--;
    pthread_join(t, 0);
    assert(before == 7 || before == 6);
    assert(bits == 2 && n == 5);
    int now = (n *= 2);
    assert(now == 10);
    assert(--n == 9);
}
