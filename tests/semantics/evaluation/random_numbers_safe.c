// `rand` gives any number from 0 on; a byte that is read is one, or -1.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
    srand((unsigned)time(0));
    int n = rand(), c = getchar();
    assert(n >= 0);
    assert(c >= -1 && c <= 255);
}
