// relyant: --property deadlock
// Two locks of an array, the lower one first: no circle, however many threads there are and whatever they ask for.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m[4];
void *move(void *arg) {
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
    if (i < 0 || j <= i || j > 3)
        return 0;
    pthread_mutex_lock(&m[i]);
    pthread_mutex_lock(&m[j]);
    pthread_mutex_unlock(&m[j]);
    pthread_mutex_unlock(&m[i]);
    return 0;
}
int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, 0, move, 0);
    pthread_exit(0);
}
