// Whole objects, parts of them, overlapping ones, and sizes known only at run time.
#include <assert.h>
#include <string.h>

struct s {
    int a;
    char b;
    long c;
} x, y;
int from[5], to[5];
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    x.a = 1;
    x.c = 3;
    memcpy(&y, &x, sizeof x);
    assert(y.a == 1 && y.c == 3);
    memcpy(&x, &y, sizeof(int));
    memset(from, 0xff, sizeof from);
    assert(from[4] == -1);
    for (int i = 0; i < 5; i++)
        from[i] = i;
    memmove(from + 1, from, 4 * sizeof(int));
    assert(from[1] == 0 && from[4] == 3);
    if (n < 0 || n > 5)
        return 0;
    memcpy(to, from, n * sizeof *to);
    assert(to[4] == (n == 5 ? 3 : 0));
    assert(memcmp(from, from + 1, 4) == 0 && memcmp(from + 1, from + 2, 8) < 0);
    return 0;
}
