// `pthread_exit` in a function that a thread calls ends the thread, with that value.
#include <assert.h>
#include <pthread.h>
int x;
void leave(long how) {
    if (how)
        pthread_exit((void *)how);
    x = 1;
}
void *worker(void *arg) {
    leave((long)arg);
    x = 2;
    return 0;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, worker, (void *)0);
    pthread_join(t, &result);
    assert(x == 0);
    assert((long)result == 7);
}
