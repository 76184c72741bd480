// real: yes
// Bits that are set, cleared and tested, counted from the first word of an array.
#include <assert.h>
static long word[2] = {0, 4};
static void set(long nr, volatile long *at)
{
    __asm__ volatile("lock; bts %1,%0" : "+m"(*at) : "Ir"(nr) : "memory");
}
static void clear(long nr, volatile long *at)
{
    __asm__ volatile("lock; btr %1,%0" : "+m"(*at) : "Ir"(nr) : "memory");
}
static int test(long nr, volatile long *at)
{
    int old;
    __asm__ volatile("bt %2,%1\n\tsbb %0,%0" : "=r"(old) : "m"(*at), "Ir"(nr));
    return old;
}
int main(void)
{
    set(5, word);
    set(64, word);
    clear(66, word);
    assert(word[0] == 32 && word[1] == 5);
    assert(test(64, word) == -1 && test(65, word) == 0);
}
