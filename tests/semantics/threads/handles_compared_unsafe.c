// Handles of threads that live at once differ.
#include <assert.h>
#include <pthread.h>
void *worker(void *arg) { return arg; }
int main(void) {
    pthread_t t, u, *p = &t;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_t copy = *p;
    assert(!pthread_equal(t, u) && pthread_equal(copy, t));
    assert(copy == u);
}
