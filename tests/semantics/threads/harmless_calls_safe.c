// Names, scheduling and cancel states that nobody can observe.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
int x;
void *worker(void *arg) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pthread_setname_np(pthread_self(), "worker");
    sched_yield();
    usleep(10);
    pthread_testcancel();
    printf("%d\n", x);
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 1 << 16);
    pthread_attr_setguardsize(&a, 0);
    pthread_create(&t, &a, worker, 0);
    pthread_attr_destroy(&a);
    sleep(1);
    assert(x == 0 || x == 1);
    pthread_join(t, 0);
}
