// relyant: --property no-data-race
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *add(void *p) {
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    return 0;
}
void *sub(void *p) {
    pthread_mutex_lock(&n);
    counter--;
    pthread_mutex_unlock(&n);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, sub, 0);
    return 0;
}
