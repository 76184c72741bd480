// relyant: --property deadlock
// Whoever waits is woken by a broadcast; a signal under a condition for another may go to the wrong one.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full, gone;
void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&c, &m);
    full = 0;
    gone = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
void *watcher(void *arg) {
    pthread_mutex_lock(&m);
    while (!gone)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, consumer, 0);
    pthread_create(&u, 0, watcher, 0);
    pthread_mutex_lock(&m);
    full = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
