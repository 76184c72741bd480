// The library calls back.
#define _GNU_SOURCE
#include <stdlib.h>
int a[3] = {3, 1, 2};
int compare(const void *x, const void *y, void *z) { return *(const int *)x - *(const int *)y; }
int main(void) {
    qsort_r(a, 3, sizeof *a, compare, 0);
}
