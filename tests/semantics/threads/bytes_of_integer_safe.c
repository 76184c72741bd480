// Threads that write different bytes of an integer leave each other's alone.
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
    ((unsigned char *)&x)[2] = 2;
    assert(((unsigned char *)&x)[2] == 2);
    pthread_join(t, 0);
    assert(x == 0x20001);
}
