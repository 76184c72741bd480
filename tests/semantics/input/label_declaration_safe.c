// Declarations after labels, labels before a closing brace, a struct defined in the type of a function.
#include <assert.h>
typedef unsigned char byte;
struct point { int x; } make(int n) {
    struct point p = {n};
    goto end;
end:
    int unused;
    return p;
}
int main(void) {
    int n = 0;
    switch (make(2).x) {
    case 2:
        byte b = 255;
        b++;
        n = b;
        break;
    default:
    }
    assert(n == 0);
}
