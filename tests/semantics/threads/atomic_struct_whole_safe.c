// An atomic struct is stored and loaded as a whole.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct pair { int a, b; };
_Atomic struct pair p;
void *worker(void *arg) {
    struct pair q = {1, 1};
    p = q;
    q.a = q.b = 2;
    atomic_store(&p, q);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    struct pair seen = p;
    assert(seen.a == seen.b);
    seen = atomic_load(&p);
    assert(seen.a == seen.b);
    assert(atomic_load_explicit(&p, memory_order_acquire).a >= seen.b);
}
