// Arithmetic inside an array, difference and comparison.
#include <assert.h>
int a[5] = {1, 2, 3, 4, 5};
int main(void) {
    int sum = 0;
    for (int *p = a; p < a + 5; p++)
        sum += *p;
    assert(sum == 15);
    int *q = &a[4], *r = a + 1;
    assert(q - r == 3 && q > r && *(q - 1) == 4 && 2[a] == 3);
    q -= 3;
    assert(q == r);
}
