// A created thread creates threads.
#include <assert.h>
#include <pthread.h>
int x;
void *leaf(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}
void *inner(void *arg) {
    pthread_t t;
    pthread_create(&t, 0, leaf, arg);
    pthread_join(t, 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    pthread_join(t, 0);
    assert(x == 1);
}
