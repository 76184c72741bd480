// A bit-field in a union is its lowest bits; the others stay as they are when it is read or written.
#include <assert.h>

union whole {
    unsigned long long all;
    signed low : 2;
    unsigned wide : 12;
};

union whole u = {0xC2A4E630971CF717ULL};

int main(void) {
    assert(u.low == -1);
    assert(u.all == 0xC2A4E630971CF717ULL);
    assert(u.wide == 0x717);
    u.low = 1;
    assert(u.all == 1);
    u.wide = 0xABC;
    assert(u.all == 0xC2A4E630971CFABCULL && u.low == 0);
    return 0;
}
