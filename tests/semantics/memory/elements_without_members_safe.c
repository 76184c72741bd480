// real: yes
/* Elements lie apart even where no member of them is ever used. */
#include <assert.h>
union opaque { char bytes[16]; long word; };
struct slot { union opaque key; };
struct slot slots[3];
struct pair { struct slot first, second; } pair;
int main(void) {
    int n = 0;
    for (struct slot *s = slots; s < slots + 3; s++) n++;
    assert(n == 3);
    assert(&slots[2] - &slots[1] == 1);
    assert(&pair.first != &pair.second);
    return 0;
}
