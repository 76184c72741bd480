// An index that is known as a range only.
#include <assert.h>
int nondet_int(void);
int a[4];
int main(void) {
    int i = nondet_int(), j = nondet_int();
    if (i < 0 || i > 3 || j < 0 || j > 3)
        return 0;
    a[i] = 1;
    a[j] = a[j] + 1;
    assert(a[i] == 1 || a[i] == 0);
}
