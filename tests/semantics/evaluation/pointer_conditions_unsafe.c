// Pointers and their comparison as conditions.
#include <assert.h>
int x[3];
int main(void) {
    int *p = x, *end = x + 3;
    int n = 0;
    while (p != end && p)
        p++, n++;
    assert(n == 2 && !(p < end) && p - x == 3);
}
