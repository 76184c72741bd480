// `c += 1` and `c++` on an `_Atomic` object are one step; `c = c + 1` is two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic int c;
atomic_int d;
void *worker(void *arg) {
    (void)arg;
    c += 1;
    d++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(c == 2);
    assert(d == 2);
}
