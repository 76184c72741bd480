// real: yes
/* A signed bit-field wider than `int`: the difference is one of its declared type, and its low bits are stored. */
#include <assert.h>
struct wide { long long n : 33; };
int main(void) {
    struct wide w = { -4294967296 };
    w.n--;
    assert(w.n != 4294967295);
    return 0;
}
