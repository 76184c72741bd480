// What a recursive function returns, in several threads.
#include <assert.h>
#include <pthread.h>
int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }
int a, b;
void *worker(void *arg) {
    (void)arg;
    a = sum(4);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    b = sum(3);
    pthread_join(t, 0);
    assert(a == 10 && b == 6);
}
