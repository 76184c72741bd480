// A format that stores through a pointer.
#include <assert.h>
#include <stdio.h>
int main(void) {
    int n;
    printf("abc%n", &n);
    assert(n == 4);
    return 0;
}
