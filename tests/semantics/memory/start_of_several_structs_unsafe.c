// Both sides of the rectangle are scaled.
// real: yes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct shape;
struct operations {
    int (*area)(const struct shape *);
    void (*scale)(struct shape *, int);
};
struct shape {
    const struct operations *operations;
    int tag;
};
struct square {
    struct shape base;
    int side;
};
struct rectangle {
    struct shape base;
    int width, height;
};
static int area_of_square(const struct shape *s) {
    const struct square *q = (const struct square *)s;
    return q->side * q->side;
}
static void scale_square(struct shape *s, int by) { ((struct square *)s)->side *= by; }
static int area_of_rectangle(const struct shape *s) {
    const struct rectangle *r = (const struct rectangle *)s;
    return r->width * r->height;
}
static void scale_rectangle(struct shape *s, int by) {
    struct rectangle *r = (struct rectangle *)s;
    r->width *= by;
    r->height *= by;
}
static const struct operations of_square = {area_of_square, scale_square};
static const struct operations of_rectangle = {area_of_rectangle, scale_rectangle};
static struct shape *make(int square) {
    if (square) {
        struct square *s = malloc(sizeof *s);
        s->base.operations = &of_square;
        s->side = 3;
        return &s->base;
    }
    struct rectangle *r = malloc(sizeof *r);
    r->base = (struct shape){&of_rectangle, 2};
    r->width = 2;
    r->height = 5;
    return (struct shape *)r;
}
static void *worker(void *p) {
    struct shape *s = p;
    s->operations->scale(s, 2);
    return (void *)(long)s->operations->area(s);
}
int main(void) {
    pthread_t t, u;
    void *x, *y;
    pthread_create(&t, 0, worker, make(1));
    pthread_create(&u, 0, worker, make(0));
    pthread_join(t, &x);
    pthread_join(u, &y);
    assert((long)x == 36);
    assert((long)y == 20);
    return 0;
}
