// A thread joined by another than its creator; a handle handed over.
#include <assert.h>
#include <pthread.h>
pthread_t first;
int x;
void *one(void *arg) {
    x = 1;
    return arg;
}
void *two(void *arg) {
    pthread_t t = *(pthread_t *)arg;
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
int main(void) {
    pthread_t second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, &first);
    pthread_join(second, 0);
}
