// relyant: --property no-overflow
// An instruction wraps; what C computes of its result may overflow.
#include <limits.h>
static int n = INT_MAX;
static int add(int i, int *p)
{
    int r = i;
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(r), "+m"(*p) : : "memory");
    return r + i;
}
int main(void)
{
    return add(1, &n) == 0;
}
