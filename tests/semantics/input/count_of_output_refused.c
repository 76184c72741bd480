// A format that stores through a pointer.
#include <stdio.h>
int main(void) {
    int n;
    printf("abc%n", &n);
    return n;
}
