// A packed struct has no padding.
#include <assert.h>
struct packed {
    char kind;
    int length;
} __attribute__((packed));
int main(void) {
    assert(sizeof(struct packed) == 8);
}
