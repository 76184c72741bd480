// relyant: -D LIMIT=3
// A macro from the command line.
#include <assert.h>
#ifndef LIMIT
#error "no limit"
#endif
int main(void) {
    assert(LIMIT == 3);
}
