// What attributes and `#pragma pack` say of a layout.
#include <assert.h>
#include <stddef.h>
struct packed {
    char kind;
    int length;
} __attribute__((packed));
struct plain {
    char kind;
    int length;
};
struct line {
    char kind;
    int length __attribute__((aligned(16)));
};
#pragma pack(push, 2)
struct frame {
    char kind;
    int length;
    unsigned first : 20, second : 20;
};
#pragma pack(pop)
struct flexible {
    char kind;
    long rest[];
};
typedef struct {
    int value;
} __attribute__((aligned(64))) slot;
typedef unsigned octet __attribute__((mode(QI)));
enum small { LOW, HIGH } __attribute__((packed));
slot slots[2];
int main(void) {
    assert(sizeof(struct packed) == 5 && offsetof(struct packed, length) == 1);
    assert(sizeof(struct plain) == 8);
    assert(sizeof(struct line) == 32 && _Alignof(struct line) == 16);
    assert(sizeof(struct frame) == 12 && _Alignof(struct frame) == 2);
    assert(sizeof(struct flexible) == 8);
    assert(sizeof(slots) == 128);
    octet o = 300;
    assert(o == 44 && sizeof(enum small) == 1);
}
