// What the sum starts with is an input, and not what its result held before.
#include <assert.h>
int main(void)
{
    int a = 3, b = 4, sum = 100;
    __asm__("addl %2,%0" : "=r"(sum) : "0"(a), "r"(b));
    assert(sum == 7);
    return 0;
}
