// Two lists of pointers to anything: what one function puts in the one is not what it puts in the other.
// real: yes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node {
    void *data;
    struct node *next;
};
struct list {
    struct node *head;
    pthread_mutex_t lock;
};
struct job {
    int id;
    long size;
};
static struct list jobs = {0, PTHREAD_MUTEX_INITIALIZER}, numbers = {0, PTHREAD_MUTEX_INITIALIZER};
static void push(struct list *l, void *data) {
    struct node *n = malloc(sizeof *n);
    n->data = data;
    pthread_mutex_lock(&l->lock);
    n->next = l->head;
    l->head = n;
    pthread_mutex_unlock(&l->lock);
}
static void *pop(struct list *l) {
    void *data = 0;
    pthread_mutex_lock(&l->lock);
    struct node *n = l->head;
    if (n) {
        data = n->data;
        l->head = n->next;
    }
    pthread_mutex_unlock(&l->lock);
    return data;
}
static void *worker(void *unused) {
    struct job *j = malloc(sizeof *j);
    j->id = 3;
    j->size = 1L << 40;
    push(&jobs, j);
    int *n = malloc(sizeof *n);
    *n = 7;
    push(&numbers, n);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    struct job *j = pop(&jobs);
    int *n = pop(&numbers);
    assert(j->id == 3 && j->size == 1L << 40);
    assert(*n == 7 && pop(&jobs) == 0);
    return 0;
}
