// Assignment copies a struct; afterwards they are two.
#include <assert.h>
struct s { int x; int a[2]; struct { char c; } in; };
struct s make(int n) {
    struct s r = {n, {n + 1, n + 2}, {'c'}};
    return r;
}
int main(void) {
    struct s a = make(1), b = a, *p = &b;
    p->x = 10;
    p->a[1] = 20;
    assert(a.x == 1 && a.a[1] == 3 && b.a[0] == 2 && b.in.c == 'c');
    a = *p;
    assert(a.x == 10 && a.a[1] == 20);
}
