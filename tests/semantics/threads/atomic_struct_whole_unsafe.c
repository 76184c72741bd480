// An atomic struct is stored as a whole: others see each value that is stored.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct pair { int a, b; };
_Atomic struct pair p;
void *worker(void *arg) {
    struct pair q = {1, 0};
    p = q;
    q.b = 1;
    p = q;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    struct pair seen = p;
    assert(seen.a == seen.b);
}
