// relyant: --property no-data-race
#include <pthread.h>
int lock, data;
void *work(void *p) {
    while (__sync_lock_test_and_set(&lock, 1))
        ;
    data += 2;
    lock = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    return 0;
}
