// assumes: pthread calls succeed
// When main returns, the other threads are over: nothing is checked after that.
#include <assert.h>
#include <pthread.h>
int going = 1;
void *worker(void *arg) {
    (void)arg;
    assert(going);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
    going = 0;
}
