// A list whose deleted nodes are marked in the lowest bit: one thread removes the node.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { int key; struct node *_Atomic next; };
struct node head;
int removed;
static struct node *marked(struct node *p) { return (struct node *)((uintptr_t)p | 1); }
static struct node *plain(struct node *p) { return (struct node *)((uintptr_t)p & ~(uintptr_t)1); }
static int is_marked(struct node *p) { return (uintptr_t)p & 1; }
void *take(void *p) {
    struct node *n = plain(head.next), *next = n->next;
    if (!is_marked(next) && atomic_compare_exchange_strong(&n->next, &next, marked(next)))
        __atomic_fetch_add(&removed, n->key, __ATOMIC_SEQ_CST);
    return 0;
}
int main(void) {
    struct node *n = malloc(sizeof *n);
    n->key = 1;
    n->next = 0;
    head.next = n;
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(removed == 0 && is_marked(n->next) && plain(n->next) == 0);
}
