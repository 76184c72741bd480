// A copy of a text has room for its characters and the 0 at its end.
// relyant: --check memory
#include <stdlib.h>
#include <string.h>
static char *copy(const char *s) {
    char *p = malloc(strlen(s) + 1);
    if (p) strcpy(p, s);
    return p;
}
int main(void) {
    char *a = copy("abc"), *b = strdup("ab");
    if (!a || !b) return 0;
    a[3] = b[1];
    free(a);
    free(b);
}
