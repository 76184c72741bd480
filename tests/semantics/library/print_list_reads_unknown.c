// relyant: --check memory
// reason: no proof: `vsnprintf` where memory or races are checked is not supported
// Where memory is checked, nobody knows what is read behind a list of arguments.
#include <stdarg.h>
#include <stdio.h>
static char line[4];
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
}
int main(void)
{
    say("%d", 3);
    return 0;
}
