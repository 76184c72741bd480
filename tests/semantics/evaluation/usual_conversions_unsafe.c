// In `-1 < 1u` the -1 becomes a large unsigned number; `unsigned char` becomes int.
#include <assert.h>
int main(void) {
    int minus = -1;
    unsigned one = 1;
    unsigned char c = 255;
    assert((minus < one));
    assert(c + 1 == 256 && ~c < 0);
    assert((minus < (long)one));
}
