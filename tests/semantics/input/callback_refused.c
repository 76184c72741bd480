// The library calls back.
#include <stdlib.h>
int a[3] = {3, 1, 2};
int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int main(void) {
    qsort(a, 3, sizeof *a, compare);
}
