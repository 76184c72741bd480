// A result that no instruction writes has any value.
#include <assert.h>
int main(void)
{
    int x = 1, y = 5;
    __asm__ volatile("incl %0" : "+m"(x), "=r"(y));
    assert(y == 5);
    return 0;
}
