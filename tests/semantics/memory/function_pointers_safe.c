// Calls by pointer: the function it holds; tables of functions.
#include <assert.h>
int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
typedef int (*op)(int, int);
op table[2] = {add, sub};
struct ops { op f; } ops = {.f = sub};
int apply(op f, int a, int b) { return f(a, b); }
int nondet_int(void);
int main(void) {
    int i = nondet_int() != 0;
    int r = apply(table[i], 5, 3);
    assert(r == 8 || r == 2);
    assert(ops.f(1, 1) == 0 && (*table[0])(1, 1) == 2);
    assert(i ? r == 2 : r == 8);
}
