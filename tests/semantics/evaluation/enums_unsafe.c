// Enumerators count on from the last one.
#include <assert.h>
enum colour { RED = 3, GREEN, BLUE = GREEN + 5, LAST };
int main(void) {
    enum colour c = LAST;
    assert(c == 6 && GREEN == 4);
}
