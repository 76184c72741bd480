// A barrier is ready again as soon as all have come.
#include <assert.h>
#include <pthread.h>
pthread_barrier_t b;
int round_of[2];
void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int i = 1; i <= 2; i++) {
        round_of[me] = i;
        pthread_barrier_wait(&b);
        assert(round_of[1 - me] == i);
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, worker, (void *)1);
    worker((void *)0);
}
