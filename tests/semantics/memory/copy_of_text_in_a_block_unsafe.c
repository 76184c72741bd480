// A copy of a text has room for its characters and the 0 at its end.
// relyant: --check memory
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *b = strdup("ab");
    if (!b) return 0;
    b[3] = 'c';
    free(b);
}
