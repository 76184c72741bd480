// Readers do not exclude each other.
#include <assert.h>
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int inside;
void *reader(void *arg) {
    (void)arg;
    pthread_rwlock_wrlock(&l);
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    pthread_rwlock_unlock(&l);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    reader(0);
}
