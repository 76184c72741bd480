// real: yes
// Atomic structs as members, elements, locals, parameters and results, and how large they are.
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
struct bytes { char c[8]; };
typedef _Atomic struct { char x, y; } narrow;
struct three { char c[3]; };
struct outer { char first; _Atomic struct bytes m; narrow n[2]; };
_Static_assert(sizeof(_Atomic struct bytes) == 8 && _Alignof(_Atomic struct bytes) == 8, "");
_Static_assert(sizeof(_Atomic struct three) == 3 && _Alignof(_Atomic struct three) == 1, "");
_Static_assert(_Alignof(narrow) == 2, "");
struct outer o = {1, {{2, 3}}, {{4, 5}, {6, 7}}};
static __typeof__(((void)0, o.m)) copy;
_Atomic struct bytes same(_Atomic struct bytes b) { return b; }
int main(void) {
    assert(sizeof(struct outer) == 24 && offsetof(struct outer, m) == 8 && offsetof(struct outer, n) == 16);
    copy = o.m;
    assert(copy.c[1] == 3);
    struct bytes b = o.m;
    assert(b.c[1] == 3 && b.c[2] == 0);
    b.c[7] = 9;
    _Atomic struct bytes local = b, other;
    atomic_init(&other, same(local));
    assert(same(other).c[7] == 9 && atomic_load(&o.n[1]).y == 7);
    narrow *n = o.n;
    n[0] = n[1];
    __typeof__(atomic_load(n)) v = *n;
    assert(v.x == 6);
    o.n[1];
    o.m = b;
    assert(atomic_load(&o.m).c[7] == 9);
}
