// `x += y` reads both and writes later.
#include <assert.h>
#include <pthread.h>
int x = 1, y = 2;
void *worker(void *arg) {
    (void)arg;
    x = 5;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x += y;
    pthread_join(t, 0);
    assert(x == 7 || x == 5);
}
