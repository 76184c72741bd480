// The point has the number that the thread was given.
// real: yes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct vector {
    size_t length;
    void **items;
};
struct point {
    short x, y;
};
static void *zeroed(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p)
        exit(1);
    return p;
}
static struct vector *new_vector(size_t n) {
    struct vector *v = zeroed(1, sizeof *v);
    v->items = zeroed(n, sizeof(void *));
    return v;
}
static struct vector *v;
static void *worker(void *x) {
    struct point *p = zeroed(1, sizeof *p);
    p->x = (short)(long)x;
    v->items[v->length++] = p;
    return p;
}
int main(void) {
    pthread_t t;
    void *result;
    v = new_vector(2);
    pthread_create(&t, 0, worker, (void *)5L);
    pthread_join(t, &result);
    struct point *p = v->items[0];
    assert(p == result && v->length == 1);
    assert(p->x == 4 && p->y == 0);
    return 0;
}
