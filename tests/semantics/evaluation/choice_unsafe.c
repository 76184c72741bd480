// `?:` evaluates one of its sides, and converts both to one type.
#include <assert.h>
int calls;
int count(void) { return ++calls; }
int nondet_int(void);
int main(void) {
    int n = nondet_int();
    int v = n > 0 ? count() : 0;
    assert(v == (n > 0) && calls == v);
    long big = n ? -1 : 0u;
    assert(n == 0 || big == -1);
}
