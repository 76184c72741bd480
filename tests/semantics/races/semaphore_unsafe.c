// relyant: --property no-data-race
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int x;
void *one(void *p) {
    sem_wait(&s);
    x++;
    sem_post(&s);
    return 0;
}
int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 2);
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
