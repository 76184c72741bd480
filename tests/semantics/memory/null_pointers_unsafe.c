// Comparison with null; null is false.
#include <assert.h>
int x;
int *find(int n) { return n ? &x : 0; }
int main(void) {
    int *p = find(1), *q = find(0);
    assert(p && !q && p != 0 && q == (void *)0);
    assert(p == q);
}
