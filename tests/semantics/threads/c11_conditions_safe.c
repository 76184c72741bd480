// cnd_wait releases the mutex and may wake up by itself; tss_t is a key.
#include <assert.h>
#include <threads.h>
mtx_t m;
cnd_t c;
tss_t key;
int ready;
int worker(void *arg) {
    mtx_lock(&m);
    tss_set(key, arg);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    return 0;
}
int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    tss_create(&key, 0);
    thrd_create(&t, worker, &ready);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    assert(ready && tss_get(key) == 0);
    mtx_unlock(&m);
    mtx_destroy(&m);
}
