// An atomic member.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct counter {
    _Atomic unsigned char n;
    int other;
} c = {254, 0};
void *worker(void *arg) {
    struct counter *p = arg;
    p->n++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, &c);
    worker(&c);
    pthread_join(t, 0);
    assert(c.n == 0);
}
