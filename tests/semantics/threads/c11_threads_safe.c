// C11's threads, mutexes and call_once; a start routine gives an int.
#include <assert.h>
#include <threads.h>
mtx_t m;
once_flag once = ONCE_FLAG_INIT;
int x, made;
thread_local int own = 2;
void make(void) { made++; }
int worker(void *arg) {
    int *p = arg;
    call_once(&once, make);
    mtx_lock(&m);
    x = x + *p;
    mtx_unlock(&m);
    own++;
    if (own == 3)
        thrd_exit(7);
    return 1;
}
int main(void) {
    thrd_t t, u;
    int three = 3, a, b;
    int r = mtx_init(&m, mtx_plain);
    assert(r == thrd_success);
    thrd_create(&t, worker, &three);
    thrd_create(&u, worker, &three);
    thrd_join(t, &a);
    thrd_join(u, &b);
    assert(a == 7 && b == 7);
    assert(x == 6 && made == 1);
    assert(thrd_equal(thrd_current(), thrd_current()) && own == 2);
}
