// A handle variable used again stands for the new thread: the old one may still run.
#include <assert.h>
#include <pthread.h>
int a, b;
void *first(void *arg) {
    (void)arg;
    a = 1;
    return 0;
}
void *second(void *arg) {
    (void)arg;
    b = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
    assert(b == 1);
    assert(a == 1);
}
