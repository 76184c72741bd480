// `x + x` is two reads.
#include <assert.h>
#include <pthread.h>
int x;
void *other(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    int sum = x + x;
    assert(sum % 2 == 0);
}
