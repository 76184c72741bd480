// relyant: --atomicity statement
// With `--atomicity statement` each statement is a step.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    x++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(x == 2);
}
