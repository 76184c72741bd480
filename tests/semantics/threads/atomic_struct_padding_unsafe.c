// assumes: padding in atomic structs has any value
// Stores in place of compare-exchanges lose one, whatever the padding is.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct mixed { char c; int n; };
_Atomic struct mixed m;
void *worker(void *arg) {
    struct mixed old = m, new;
    {
        new.c = 1;
        new.n = old.n + 1;
    }
    m = new;
    return arg;
}
int main(void) {
    pthread_t t;
    struct mixed e = {0}, d = {0};
    atomic_compare_exchange_strong(&m, &e, d);
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(atomic_load(&m).n == 2);
}
