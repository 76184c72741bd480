// A write of an integer is one of all its bytes.
#include <assert.h>
#include <pthread.h>
unsigned x;
void *worker(void *arg) {
    ((unsigned char *)&x)[0] = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = x | 0x20000;
    pthread_join(t, 0);
    assert(x == 0x20001);
}
