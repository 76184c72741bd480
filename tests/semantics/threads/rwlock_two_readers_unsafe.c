// Two readers hold the lock at once: a writer waits for both, another reader does not.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
    int a = pthread_rwlock_rdlock(&l), b = pthread_rwlock_tryrdlock(&l);
    assert(a == 0 && b == 0);
    pthread_rwlock_unlock(&l);
    int c = pthread_rwlock_trywrlock(&l);
    assert(c == EBUSY);
    int d = pthread_rwlock_trywrlock(&l);
    assert(d == 0);
    int e = pthread_rwlock_tryrdlock(&l);
    assert(e == EBUSY);
}
