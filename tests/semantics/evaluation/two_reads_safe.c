// A condition that names an object twice reads it twice.
#include <assert.h>
#include <pthread.h>
int n1, n2;
int reached;
void *other(void *arg) {
    (void)arg;
    n2 = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    n1 = 1;
    pthread_create(&t, 0, other, 0);
    if (n2 > 0 && n1 > n2)
        reached = 1;
    assert(!reached);
}
