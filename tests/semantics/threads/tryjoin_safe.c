// A join that does not wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    (void)arg;
    x = 1;
    return &x;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, worker, 0);
    int r = pthread_tryjoin_np(t, &result);
    if (r == 0)
        assert(x == 1 && result == &x);
    else
        assert(r == EBUSY );
}
