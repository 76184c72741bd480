// Destructors run when main returns, and in exit.
#include <assert.h>
#include <stdlib.h>
int x;
__attribute__((destructor)) static void last(void) { assert(x > 0); }
int main(int argc, char **argv) {
    x = argc > 1 ? 1 : 2;
    if (x == 1) exit(0);
    return 0;
}
