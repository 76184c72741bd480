// relyant: --property no-data-race
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *add(void *p) {
    int seen = counter;
    pthread_mutex_lock(&m);
    counter = seen + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    while (1)
        pthread_create(&t, 0, add, 0);
}
