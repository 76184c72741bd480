// relyant: --property no-data-race
// Lists of 20 nodes, each with the lock of its slot; a node that was taken out is the thread's own.
#include <pthread.h>
#include <stdlib.h>
struct node { int hits; struct node *next; };
struct slot { pthread_mutex_t lock; struct node *head; } slot[3];
static struct node *take(int i) {
    pthread_mutex_lock(&slot[i].lock);
    struct node *n = slot[i].head;
    if (n) slot[i].head = n->next;
    pthread_mutex_unlock(&slot[i].lock);
    return n;
}
static void hit(int i) {
    pthread_mutex_lock(&slot[i].lock);
    for (struct node *n = slot[i].head; n; n = n->next) n->hits++;
    pthread_mutex_unlock(&slot[i].lock);
}
void *visit(void *p) {
    for (int i = 0; i < 3; i++) {
        struct node *n = take(i);
        hit(i);
        if (n) n->hits = 0;
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    struct node *last = 0;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_init(&slot[i].lock, 0);
        for (int k = 0; k < 20; k++) {
            struct node *n = malloc(sizeof *n);
            n->hits = 0;
            n->next = k ? slot[i].head : 0;
            slot[i].head = n;
            last = n;
        }
    }
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    return 0;
}
