// A stack whose elements are below 50, however the pushes and pops interleave.
#include <assert.h>
#include <pthread.h>
#define PLACES 300
int __VERIFIER_nondet_int(void);
int stack[PLACES], top;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *push(void *p) {
    for (int i = 0; i < PLACES; i++) {
        int x = __VERIFIER_nondet_int();
        int small = 0 <= x && x < 50;
        if (!small)
            continue;
        pthread_mutex_lock(&lock);
        assert(top < PLACES);
        stack[top++] = x;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
void *pop(void *p) {
    for (int i = 0; i < PLACES; i++) {
        pthread_mutex_lock(&lock);
        if (top > 0)
            assert(stack[--top] < 50);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
}
