// relyant: --property deadlock
// A signal wakes one who waited before it, not one who comes later.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int turns, waiting;
void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    int mine = ++waiting;
    while (turns < mine)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, waiter, 0);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        turns++;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    pthread_join(u, 0);
}
