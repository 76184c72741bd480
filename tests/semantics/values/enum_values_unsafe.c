// Enumerators that fit are ints; the enum itself is unsigned unless one is negative, and long where one needs it.
#include <assert.h>

enum small { MINUS = -3, ZERO, FIVE = 5, SIX };
enum large { WIDE = 0xffffffff, WIDER };
enum plain { ONE = 1 };

int main(void) {
    enum small s = ZERO;
    assert(s == -2 && SIX == 6 && MINUS < 0);
    assert(WIDE > 0 && WIDER == 4294967296 && sizeof(enum large) == 8 && sizeof(enum plain) == 4);
    enum plain p = ONE;
    assert(p - 2 < 0 && ONE - 2 < 0);
    return 0;
}
