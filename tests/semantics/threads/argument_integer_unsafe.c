// The argument is an integer, cast to a pointer.
#include <assert.h>
#include <pthread.h>
int sum;
void *add(void *arg) {
    sum += (int)(long)arg;
    return 0;
}
int main(void) {
    pthread_t t;
    for (int i = 1; i <= 4; i++) {
        pthread_create(&t, 0, add, (void *)(long)i);
        pthread_join(t, 0);
    }
    assert(sum == 6);
}
