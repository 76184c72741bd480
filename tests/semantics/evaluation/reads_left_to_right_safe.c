// assumes: operands are evaluated from left to right
// Without an option two reads come from left to right, and the report says so.
#include <assert.h>
#include <pthread.h>
int x, y;
void *worker(void *arg) {
    y = 1;
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x <= y);
}
