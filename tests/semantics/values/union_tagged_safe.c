// A message that says which of its members it has, between threads.
#include <assert.h>
#include <pthread.h>

struct message {
    int tag;
    union {
        int number;
        void *pointer;
        struct {
            short a, b;
        } pair;
    };
} box;
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *put(void *arg) {
    pthread_mutex_lock(&m);
    box.tag = 1;
    box.pointer = &x;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, put, 0);
    pthread_mutex_lock(&m);
    struct message mine = box;
    if (box.tag == 0)
        box.pair.b = 4;
    pthread_mutex_unlock(&m);
    if (mine.tag == 1)
        assert(mine.pointer == &x);
    else
        assert(mine.number == 0);
    pthread_join(t, 0);
    assert(box.tag == 1 && box.pointer == &x);
    return 0;
}
