// The start routine is what a function pointer holds.
#include <assert.h>
#include <pthread.h>
int x;
void *one(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}
void *two(void *arg) {
    (void)arg;
    x = 2;
    return 0;
}
int nondet_int(void);
int main(void) {
    pthread_t t;
    void *(*f)(void *) = one;
    if (nondet_int())
        f = two;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    assert(x == 1);
}
