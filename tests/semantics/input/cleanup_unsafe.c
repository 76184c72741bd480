// A variable is cleaned up where its block is left, whichever way, the last one first; a value is returned from before.
#include <assert.h>
int log, depth;
static void leave(int *p) { log = log * 10 + *p; }
static int value(void) {
    int r __attribute__((cleanup(leave))) = 7;
    return log;
}
int main(void) {
    for (int i = 0; i < 3; i++) {
        int a __attribute__((cleanup(leave))) = 1, b __attribute__((cleanup(leave))) = 2;
        if (i == 0) continue;
        if (i == 1) break;
    }
    assert(log == 1212);
    log = 5;
    assert(value() == 5 && log == 57);
}
