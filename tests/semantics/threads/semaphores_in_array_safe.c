// Semaphores in an array order two threads.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t s[2];
int log[4], n;
void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        sem_wait(&s[me]);
        log[n] = me;
        n = n + 1;
        sem_post(&s[1 - me]);
    }
    return 0;
}
int main(void) {
    pthread_t t, u;
    sem_init(&s[0], 0, 1);
    sem_init(&s[1], 0, 0);
    pthread_create(&t, 0, worker, (void *)0L);
    pthread_create(&u, 0, worker, (void *)1L);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(log[0] == 0 && log[1] == 1 && log[2] == 0 && log[3] == 1);
}
