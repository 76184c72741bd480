// A detached thread runs as any other; main's end ends it.
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &a, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_detach(t);
    int seen = x;
    assert(seen == 0 || seen == 1);
}
