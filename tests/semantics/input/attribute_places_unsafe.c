// Attributes stand where C, GNU C and Linux put them; those that are advice change nothing.
#include <assert.h>
struct __attribute__((aligned(8))) pair { char a; int b __attribute__((unused)); };
[[maybe_unused]] static int zero;
static inline int __attribute__((always_inline)) twice(int n __attribute__((unused))) { return 2 * n; }
__attribute__((noinline, cold)) int count(int n) {
    switch (n) {
    case 1:
        n++;
        __attribute__((fallthrough));
    case 2:
        n++;
        break;
    default:
        n = 0;
    }
    if (n > 5) { again: __attribute__((unused)); n--; }
    return n;
}
enum colour { RED __attribute__((deprecated)) = 3, BLUE };
int main(void) {
    struct pair p = {1, 2};
    int(*f)(int) __attribute__((nonnull)) = count;
    assert(f(1) == 2 && twice(p.b) == 4 && BLUE == 4 && zero == 0);
}
