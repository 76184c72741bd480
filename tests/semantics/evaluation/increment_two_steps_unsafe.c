// `x++` is a read and a write: two threads may lose one.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    (void)arg;
    x++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x++;
    pthread_join(t, 0);
    assert(x == 2);
}
