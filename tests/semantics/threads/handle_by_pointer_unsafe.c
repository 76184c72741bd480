// A handle behind a pointer and one in a struct.
#include <assert.h>
#include <pthread.h>
struct job {
    int id;
    pthread_t handle;
} job;
int x, y;
void *set_x(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}
void *set_y(void *arg) {
    (void)arg;
    y = 1;
    return 0;
}
void start(pthread_t *h, void *(*f)(void *)) { pthread_create(h, 0, f, 0); }
int main(void) {
    pthread_t t, *p = &t;
    start(p, set_x);
    start(&job.handle, set_y);
    pthread_join(*p, 0);
    pthread_join(t, 0);
    assert(x && y);
}
