// A mutex in a struct, taken through a pointer to the struct.
#include <assert.h>
#include <pthread.h>
struct account {
    int balance;
    pthread_mutex_t lock;
} a, b;
void add(struct account *to, pthread_mutex_t *lock, int n) {
    pthread_mutex_lock(lock);
    int old = to->balance;
    to->balance = old + n;
    pthread_mutex_unlock(lock);
}
void *worker(void *arg) {
    struct account *p = arg;
    add(p, &p->lock, 3);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_mutex_init(&a.lock, 0);
    pthread_mutex_init(&b.lock, 0);
    pthread_create(&t, 0, worker, &a);
    add(&a, &b.lock, 4);
    pthread_join(t, 0);
    assert(a.balance == 7);
}
