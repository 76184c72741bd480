// Calls that read what other threads write come in any order.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;
int get(int *p) { pthread_mutex_lock(&m); int v = *p; pthread_mutex_unlock(&m); return v; }
void *f(void *q) {
    pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    int r = get(&y) * 2 - get(&x);
    assert(r != 2);
    return 0;
}
