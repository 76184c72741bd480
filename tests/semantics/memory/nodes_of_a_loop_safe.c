// A list of 40 nodes, made by one call in a loop, and emptied by two threads.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int number; struct node *next; };
struct node *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int taken;
static struct node *take(void) {
    pthread_mutex_lock(&lock);
    struct node *n = head;
    if (n) { head = n->next; taken++; }
    pthread_mutex_unlock(&lock);
    return n;
}
void *empty(void *p) {
    struct node *n;
    while ((n = take()) != 0) assert(n->number < 40);
    return 0;
}
int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 40; i++) {
        struct node *n = malloc(sizeof *n);
        n->number = i;
        n->next = head;
        head = n;
    }
    pthread_create(&a, 0, empty, 0);
    pthread_create(&b, 0, empty, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(taken == 40);
    return 0;
}
