// A stack of compare-exchanges: push by two threads loses nothing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct node { int value; struct node *next; } a = {1, 0}, b = {2, 0};
_Atomic(struct node *) top;
void push(struct node *n) {
    struct node *old = top;
    do
        n->next = old;
    while ((top = n, 0));
}
void *worker(void *arg) {
    push(arg);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, &a);
    push(&b);
    pthread_join(t, 0);
    int sum = 0;
    for (struct node *n = top; n; n = n->next)
        sum += n->value;
    assert(sum == 3);
}
