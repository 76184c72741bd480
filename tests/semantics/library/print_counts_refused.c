// A format that is not known may ask for `%n`.
#include <assert.h>
#include <stdio.h>
static const char *format = "ab%n";
int main(void)
{
    int k = 0;
    char line[8];
    snprintf(line, sizeof line, format, &k);
    assert(k == 0);
    return 0;
}
