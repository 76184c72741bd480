// relyant: --read-order any
// So come the reads of arguments; of objects that one thread writes, the order makes no difference.
#include <assert.h>
#include <pthread.h>
int x, y, mine;
int greater(int a, int b) { return a > b; }
void *worker(void *arg) {
    y = 1;
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    mine = 1;
    int g = greater(mine, y);
    assert(g == 0 || y <= 1);
}
