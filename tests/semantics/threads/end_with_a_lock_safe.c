// relyant: --property deadlock
// Each way out gives the lock back.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m;
int left = 10;
void *work(void *arg) {
    while (1) {
        pthread_mutex_lock(&m);
        if (left == 0) {
            pthread_mutex_unlock(&m);
            return 0;
        }
        left--;
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
