// A function that calls itself by threads.
#include <assert.h>
#include <pthread.h>
void *fib(void *arg) {
    long n = (long)arg;
    if (n < 2)
        return (void *)n;
    pthread_t t;
    void *a, *b;
    pthread_create(&t, 0, fib, (void *)(n - 1));
    b = fib((void *)(n - 2));
    pthread_join(t, &a);
    return (void *)((long)a + (long)b);
}
int main(void) {
    long r = (long)fib((void *)3L);
    assert(r == 2);
}
