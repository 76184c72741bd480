// `extern` in a block names the object of the file, whatever local is around it, and one object in all functions.
#include <assert.h>
int x = 1;
static void set(void) {
    extern int elsewhere;
    elsewhere = 5;
}
int main(void) {
    int x = 3;
    {
        extern int x;
        assert(x == 1);
        x = 9;
    }
    assert(x == 3);
    set();
    extern int elsewhere;
    assert(elsewhere == 5);
}
