// What an attribute holds; a kind read back.
#include <assert.h>
#include <pthread.h>
int main(void) {
    pthread_mutexattr_t a;
    int kind;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_PRIVATE);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_gettype(&a, &kind);
    assert(kind == PTHREAD_MUTEX_NORMAL);
}
