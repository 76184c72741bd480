// Which of two mutexes is taken depends on a value.
#include <assert.h>
#include <pthread.h>
int nondet_int(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x, which;
void bump(int first) {
    pthread_mutex_t *m = first ? &a : &b;
    pthread_mutex_lock(m);
    x++;
    pthread_mutex_unlock(m);
}
void *worker(void *arg) {
    bump(which);
    return arg;
}
int main(void) {
    pthread_t t;
    which = nondet_int() != 0;
    pthread_create(&t, 0, worker, 0);
    bump(1);
    pthread_join(t, 0);
    assert(x == 2);
}
