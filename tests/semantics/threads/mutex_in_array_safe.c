// Mutexes in an array: one for each slot.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int x[2];
void bump(int slot, int lock) {
    pthread_mutex_lock(&m[lock]);
    x[slot]++;
    pthread_mutex_unlock(&m[lock]);
}
void *worker(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++)
        bump(i, i);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    bump(1, 1);
    pthread_join(t, 0);
    assert(x[0] == 1 && x[1] == 2);
}
