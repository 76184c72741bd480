// Memory that each thread makes for itself.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
void *worker(void *arg) {
    int *p = arg;
    *p = 0;
    *p = *p + 1;
    assert(*p == 1);
    return p;
}
int shared;
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, &shared);
    worker(&shared);
    pthread_join(t, 0);
}
