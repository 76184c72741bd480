// Handles and mutexes in memory made at run time.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct shared { pthread_mutex_t lock; pthread_t t[2]; int count; };
void *worker(void *arg) {
    struct shared *s = arg;
    s->count++;
    return 0;
}
int main(void) {
    struct shared *s = malloc(sizeof *s);
    pthread_mutex_init(&s->lock, 0);
    s->count = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&s->t[i], 0, worker, s);
    for (int i = 0; i < 2; i++)
        pthread_join(s->t[i], 0);
    assert(s->count == 2);
}
