// safe
#include <assert.h>
static int n;
static int log_line(const char *format, ...)
{
    n++;
    return n;
}
int main(void)
{
    int a = 4;
    assert(log_line("%d %d", a++, a) == 1);
    assert(a == 5);
}
