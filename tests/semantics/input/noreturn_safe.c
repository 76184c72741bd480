// Nothing comes after a call of a function that never returns.
// assumes: `panic`, which has no body, never returns
#include <assert.h>
_Noreturn void panic(int why);
int main(int argc, char **argv) {
    int x = argc > 1;
    if (x) panic(1);
    assert(!x);
}
