// A struct is copied member by member: another thread may come between.
#include <assert.h>
#include <pthread.h>
struct pair { int a, b; } shared = {1, 1};
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *arg) {
    struct pair new = {2, 2};
    pthread_mutex_lock(&m);
    shared = new;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    struct pair seen = shared;
    assert(seen.a == seen.b);
}
// compiled: a struct this small is copied in one access
