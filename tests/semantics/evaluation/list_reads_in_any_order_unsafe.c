// relyant: --read-order any
// Plain reads in a list come in any order where that is asked for.
#include <assert.h>
#include <pthread.h>
int x, y;
void *f(void *q) { x = 1; y = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    int v[2] = {y, x};
    assert(!(v[0] == 1 && v[1] == 0));
    return 0;
}
