#include <stdarg.h>
static int sum(int n, ...)
{
    va_list rest;
    va_start(rest, n);
    return va_arg(rest, int);
}
int main(void) { return sum(1, 2); }
