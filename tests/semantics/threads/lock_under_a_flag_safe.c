// relyant: --property deadlock
// What a flag has taken it gives back before the next round.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t outer, inner;
int count;
void *work(void *arg) {
    for (;;) {
        int both = __VERIFIER_nondet_int();
        if (both)
            pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        count += both;
        pthread_mutex_unlock(&inner);
        if (both)
            pthread_mutex_unlock(&outer);
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    return 0;
}
