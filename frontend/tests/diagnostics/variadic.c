#include <stdarg.h>
static int first(int n, ...)
{
    va_list rest;
    va_start(rest, n);
    return va_arg(rest, int);
}
int main(void) { int (*f)(int, ...) = first; return f(1, 2); }
