// relyant: --property deadlock
// The thread that is waited for needs the lock that is held meanwhile.
#include <pthread.h>
pthread_mutex_t state, unrelated;
int n;
void *work(void *arg) {
    pthread_mutex_lock(&state);
    n++;
    pthread_mutex_unlock(&state);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&state);
    pthread_join(t, 0);
    pthread_mutex_unlock(&state);
    return 0;
}
