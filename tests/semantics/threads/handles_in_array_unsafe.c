// Handles in an array, at the index of a loop.
#include <assert.h>
#include <pthread.h>
int done[3];
void *worker(void *arg) {
    done[(long)arg] = 1;
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 1; i < 3; i++)
        pthread_join(t[i], 0);
    assert(done[0] && done[1] && done[2]);
}
