// The operand of a compound assignment is read before the step that changes the atomic object.
#include <assert.h>
#include <pthread.h>
_Atomic int a = 1;
int b = 1;
void *worker(void *arg) {
    a += 10;
    b = 2;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    a += b;
    pthread_join(t, 0);
    assert(a == 12 );
}
