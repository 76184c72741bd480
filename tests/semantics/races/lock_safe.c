// relyant: --property no-data-race
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *add(void *p) {
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    counter = 5;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    return 0;
}
