// A pointer that another thread reads: null before, then the object with what was written before.
#include <assert.h>
#include <pthread.h>
struct message { int a; int b; } m;
struct message *volatile box;
void *sender(void *arg) {
    (void)arg;
    m.a = 1;
    m.b = 2;
    box = &m;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    struct message *p = box;
    if (p)
        assert(p->a == 1 && p->b == 2);
}
