// A thread passes one argument: a second parameter holds any value.
#include <assert.h>
#include <pthread.h>
void *run(void *arg, int mode) {
    assert(arg == 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, (void *(*)(void *))run, 0);
    pthread_join(t, 0);
}
