// A thread that recurs as deep as one likes.
#include <assert.h>
#include <pthread.h>
int x;
int nondet_int(void);
void rec(int depth) {
    if (depth < 5 && nondet_int())
        rec(depth + 1);
    else
        x = depth;
}
void *worker(void *arg) {
    (void)arg;
    rec(0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x < 5);
}
