// mtx_trylock gives thrd_busy; a recursive one is taken again.
#include <assert.h>
#include <threads.h>
int main(void) {
    mtx_t plain, recursive;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    int a = mtx_trylock(&plain), b = mtx_trylock(&plain);
    assert(a == thrd_success && b == thrd_busy);
    int c = mtx_lock(&recursive), d = mtx_trylock(&recursive);
    assert(c == thrd_success && d == thrd_success);
    mtx_unlock(&plain);
    assert(mtx_lock(&plain) == thrd_success);
}
