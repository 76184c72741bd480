// Arrays, structs and statics of each thread.
#include <assert.h>
#include <pthread.h>
_Thread_local int a[2] = {1, 2};
_Thread_local struct { int x, y; } s = {3};
int count(void) {
    static _Thread_local int n = 10;
    return ++n;
}
void *worker(void *arg) {
    a[1]++;
    s.y++;
    int n = count();
    assert(a[0] == 1 && a[1] == 3 && s.x == 3 && s.y == 1 && n == 11);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
