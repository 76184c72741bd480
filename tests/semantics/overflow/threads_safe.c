// relyant: --property no-overflow
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int free_slots = 8;
void *worker(void *p) {
    while (1) {
        pthread_mutex_lock(&m);
        if (free_slots > 0)
            free_slots--;
        else
            free_slots = 8;
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
