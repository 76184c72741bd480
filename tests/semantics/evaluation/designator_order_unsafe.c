// C11 6.5.2.2p10: the pointer to what is called and the arguments have no order.
#include <assert.h>
int first(int k) { return k; }
int second(int k) { return k + 1; }
int (*f)(int) = first;
int turn(void) { f = second; return 5; }
int main(void) {
    int r = f(turn());
    assert(r == 5);
    return 0;
}
