// Only places that were filled are looked at, in an order that only the run knows.
#include <assert.h>
#include <pthread.h>
#define PLACES 200
int __VERIFIER_nondet_int(void);
int square[PLACES], filled;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *fill(void *p) {
    for (int i = 0; i < PLACES; i++) {
        pthread_mutex_lock(&lock);
        square[filled] = filled + 7;
        filled++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
void *look(void *p) {
    while (1) {
        int i = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        if (0 <= i && i <= filled && i < PLACES)
            assert(square[i] == i + 7);
        pthread_mutex_unlock(&lock);
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, look, 0);
}
