// relyant: --read-order any
// Two reads in one expression come in any order: here x may be read after y.
#include <assert.h>
#include <pthread.h>
int x, y;
void *worker(void *arg) {
    y = 1;
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x <= y);
}
