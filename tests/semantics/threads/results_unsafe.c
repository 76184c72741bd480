// A join gives what the start routine returned.
#include <assert.h>
#include <pthread.h>
int box = 4;
void *address(void *arg) {
    (void)arg;
    box = 5;
    return &box;
}
void *twice(void *arg) { return (void *)(2 * (long)arg); }
int main(void) {
    pthread_t t, u;
    void *a, *b;
    pthread_create(&t, 0, address, 0);
    pthread_create(&u, 0, twice, (void *)21L);
    pthread_join(t, &a);
    pthread_join(u, &b);
    assert(*(int *)a == 5);
    assert((long)b == 21);
}
