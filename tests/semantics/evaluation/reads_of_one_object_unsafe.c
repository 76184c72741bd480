// relyant: --read-order any
// The left operand may be read last.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x - x <= 0);
}
