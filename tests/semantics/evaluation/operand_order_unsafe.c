// So are the operands of `-`.
#include <assert.h>
int x = 5;
int set(void) {
    x = 1;
    return 1;
}
int main(void) {
    int d = x - set();
    assert(d == 4 );
}
