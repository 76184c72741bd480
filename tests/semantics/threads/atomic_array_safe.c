// Elements of an array of atomics.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uchar a[2] = {255, 1};
void *worker(void *arg) {
    for (int i = 0; i < 2; i++)
        a[i]++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(a[0] == 1 && a[1] == 3);
}
