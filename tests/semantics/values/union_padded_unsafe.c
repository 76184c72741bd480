// A member that only makes room is in nobody's way; the address of the only view may go anywhere.
#include <assert.h>
#include <pthread.h>

union line {
    struct {
        int value;
        pthread_mutex_t lock;
    } s;
    char room[128];
} a, b;

void *add(void *p) {
    union line *l = p;
    int *value = &l->s.value;
    pthread_mutex_lock(&l->s.lock);
    *value += 1;
    pthread_mutex_unlock(&l->s.lock);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_mutex_init(&a.s.lock, 0);
    pthread_create(&s, 0, add, &a);
    pthread_create(&t, 0, add, &a);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a.s.value == 1 && b.s.value == 0 && sizeof a == 128);
    return 0;
}
