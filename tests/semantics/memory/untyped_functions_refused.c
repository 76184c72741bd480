// Zeros of a struct's size are not zeros of its members in an array of other scalars.
#include <string.h>
struct s {
    char c;
    long l;
};
int a[4] = {1, 2, 3, 4};
int main(void) {
    void *p = a;
    memset(p, 0, sizeof(struct s));
    return a[1];
}
