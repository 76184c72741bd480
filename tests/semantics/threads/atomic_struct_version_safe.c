// A stack whose top has a version: what was read of a node that was taken and put back is not written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct node { struct node *next; } a, b;
struct top { long version; struct node *head; };
_Atomic struct top top;
struct node *pop(void) {
    struct top old = atomic_load(&top), new;
    do {
        if (!old.head)
            return 0;
        new.head = old.head->next;
        new.version = old.version + 1;
    } while (!atomic_compare_exchange_weak(&top, &old, new));
    return old.head;
}
void push(struct node *n) {
    struct top old = atomic_load(&top), new;
    do {
        n->next = old.head;
        new = (struct top){old.version + 1, n};
    } while (!atomic_compare_exchange_strong(&top, &old, new));
}
struct node *kept;
void *worker(void *arg) {
    struct node *x = pop();
    kept = pop();
    if (x)
        push(x);
    return arg;
}
int main(void) {
    pthread_t t;
    push(&b);
    push(&a);
    pthread_create(&t, 0, worker, 0);
    pop();
    pthread_join(t, 0);
    assert(atomic_load(&top).head != &b || kept != &b);
}
