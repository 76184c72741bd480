// gcc computes with a bit-field wider than int in the width of the field; a narrower one promotes to int.
#include <assert.h>
struct word {
    unsigned long wide : 40;
    unsigned long half : 32;
    unsigned narrow : 31;
    long negative : 33;
} w;
int main(void) {
    assert(w.wide - 1 == 0xffffffffffUL);
    assert(w.half - 1 == 0xffffffffU && sizeof(w.half - 1) == 4);
    assert(w.narrow - 1 < 0);
    assert(w.negative - 1U == -1);
    w.wide = 1UL << 39;
    assert((w.wide << 1) == 0);
}
