// safe
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
static int a, b, lock;
static void take(void)
{
    while (1) {
        __VERIFIER_atomic_begin();
        if (!lock) {
            lock = 1;
            __VERIFIER_atomic_end();
            return;
        }
        __VERIFIER_atomic_end();
    }
}
static void __VERIFIER_atomic_both(int n)
{
    a += n;
    b += n;
}
static void *user(void *x)
{
    take();
    lock = 0;
    __VERIFIER_atomic_both(2);
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    __VERIFIER_atomic_begin();
    int d = a - b;
    __VERIFIER_atomic_end();
    if (d != 0)
    ERROR:
        reach_error();
    return 0;
}
