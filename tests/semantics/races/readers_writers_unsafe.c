// relyant: --property no-data-race
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *reader(void *p) {
    pthread_rwlock_rdlock(&l);
    x++;
    pthread_rwlock_unlock(&l);
    return 0;
}
void *writer(void *p) {
    pthread_rwlock_wrlock(&l);
    x++;
    pthread_rwlock_unlock(&l);
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_create(&c, 0, writer, 0);
    return 0;
}
