// GNU's `x ?: y` reads x once: another thread may set it after that.
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
    pthread_create(&t, 0, worker, 0);
    int y = x ?: 2;
    assert(y == 1);
}
