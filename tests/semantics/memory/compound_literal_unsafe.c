// Compound literals are objects.
#include <assert.h>
struct p { int x, y; };
int sum(struct p *p) { return p->x + p->y; }
int main(void) {
    int s = sum(&(struct p){3, 4});
    struct p q = (struct p){.y = 5};
    int *a = (int[]){7, 8};
    assert(s == 7 && q.x == 0 && q.y == 5 && a[1] == 7);
}
