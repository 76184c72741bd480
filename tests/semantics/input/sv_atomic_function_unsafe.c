// A function whose name starts with `__VERIFIER_atomic_` is one step, a static one too.
#include <assert.h>
#include <pthread.h>
int x;
static int take(void) {
    int old = x;
    if (old == 0)
        x = 1;
    return old;
}
int inside;
void *worker(void *arg) {
    (void)arg;
    while (take()) ;
    inside++;
    assert(inside == 1);
    inside--;
    x = 0;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
}
