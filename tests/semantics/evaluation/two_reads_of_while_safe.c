// In `while (n1 >= n2 && n2 > 0)` n2 may change between its reads.
#include <assert.h>
#include <pthread.h>
int n2;
void *other(void *arg) {
    (void)arg;
    n2 = 5;
    return 0;
}
int main(void) {
    pthread_t t;
    int n1 = 2, steps = 0;
    pthread_create(&t, 0, other, 0);
    int n = n2;
    while (n1 >= n && n > 0 && steps < 1)
        steps++;
    assert(steps == 0);
}
