// C11 6.5.17p2: there is a sequence point after the left operand of a comma.
#include <assert.h>
#include <stdlib.h>
int stop(void) { exit(0); }
int check(void) { assert(0); return 1; }
int main(void) {
    return stop(), check();
}
