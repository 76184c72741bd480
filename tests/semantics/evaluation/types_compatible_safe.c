// __builtin_types_compatible_p compares types without their outer qualifiers.
#include <assert.h>
struct s {
    int a;
};
struct t {
    int a;
};
int n[4];
int main(void) {
    long x = 0;
    const volatile long y = 0;
    assert(__builtin_types_compatible_p(__typeof__(x), long));
    assert(__builtin_types_compatible_p(__typeof__(y), __typeof__(x)));
    assert(!__builtin_types_compatible_p(int, long));
    assert(!__builtin_types_compatible_p(struct s, struct t));
    assert(__builtin_types_compatible_p(struct s *, struct s *));
    assert(!__builtin_types_compatible_p(__typeof__(n), __typeof__(&n[0])));
    assert(!__builtin_types_compatible_p(int (*)(int, int), int));
    assert(__builtin_choose_expr(__builtin_types_compatible_p(__typeof__(x), int), 1, 2) == 2);
}
