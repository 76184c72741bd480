// Each thread waits for one that it makes: none ends.
#include <assert.h>
#include <pthread.h>
int nondet_int(void);
void *next(void *arg) {
    pthread_t t;
    if (nondet_int())
        return arg;
    pthread_create(&t, 0, next, arg);
    pthread_join(t, 0);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, next, 0);
    pthread_join(t, 0);
    assert(0);
}
