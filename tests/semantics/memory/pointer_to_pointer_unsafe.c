// Pointers to pointers.
#include <assert.h>
int x = 1, y = 2;
void swap(int **p, int **q) {
    int *t = *p;
    *p = *q;
    *q = t;
}
int main(void) {
    int *a = &x, *b = &y, **pp = &a;
    swap(&a, &b);
    **pp = 5;
    assert(x == 5 && y == 2 && *b == 1);
}
