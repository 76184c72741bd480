// A thread that is stopped from outside.
#include <pthread.h>
void *worker(void *arg) { return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
}
