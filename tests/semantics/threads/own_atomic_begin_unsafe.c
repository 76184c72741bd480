// A file that defines the functions of a dialect itself means its own.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}
int x;
void *f(void *a) {
    __VERIFIER_atomic_begin();
    x++;
    assert(x == 1);
    x--;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
