// `volatile` changes nothing: two reads, two steps.
#include <assert.h>
#include <pthread.h>
volatile int x;
void *worker(void *arg) {
    (void)arg;
    x++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(x == 2);
}
