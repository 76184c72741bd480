// relyant: --property no-data-race
// violation: data race on `p
// A copy through a pointer to the struct itself is no atomic access.
#include <pthread.h>
#include <stdatomic.h>
struct pair { int full, n; };
_Atomic struct pair p;
void *worker(void *arg) {
    p = (struct pair){1, 2};
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    struct pair seen = *(struct pair *)&p;
    return seen.n;
}
