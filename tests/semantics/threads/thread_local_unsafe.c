// Each thread has its own, which starts at its initialiser.
#include <assert.h>
#include <pthread.h>
 int own = 3;
static __thread int other = 1;
void *worker(void *arg) {
    (void)arg;
    own = own + 1;
    other = other + 1;
    assert(own == 4 && other == 2);
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(u, 0);
    assert(other == 1);
}
