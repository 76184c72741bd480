// The builtins access a struct as a whole, atomic or not.
#include <assert.h>
#include <pthread.h>
struct pair { int a, b; } p;
void add(struct pair *to) {
    struct pair old, new;
    __atomic_load(to, &old, __ATOMIC_SEQ_CST);
    do {
        new.a = old.a + 1;
        new.b = old.b + 1;
    } while (!__atomic_compare_exchange(to, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}
void *worker(void *arg) {
    add(arg);
    return 0;
}
int main(void) {
    pthread_t t;
    struct pair one = {1, 1}, old;
    __atomic_store(&p, &one, __ATOMIC_SEQ_CST);
    pthread_create(&t, 0, worker, &p);
    add(&p);
    __atomic_exchange(&p, &one, &old, __ATOMIC_SEQ_CST);
    assert(old.a == old.b && old.a >= 2);
    pthread_join(t, 0);
    assert(p.a == p.b && p.a + old.a >= 4);
}
