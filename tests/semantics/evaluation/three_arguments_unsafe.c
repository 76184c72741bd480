// Three arguments: any of six orders.
#include <assert.h>
int n;
int next(void) { return n++; }
int digits(int a, int b, int c) { return 100 * a + 10 * b + c; }
int main(void) {
    int d = digits(next(), next(), next());
    assert(d == 12 || d == 21 || d == 102 || d == 120 || d == 201 || d == 0);
}
