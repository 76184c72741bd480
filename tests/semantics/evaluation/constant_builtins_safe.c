// Builtins that ask the compiler.
#include <assert.h>
int calls;
int f(void) { return ++calls; }
int main(void) {
    assert(__builtin_constant_p(3));
    assert(__builtin_choose_expr(1, 5, f()) == 5);
    if (__builtin_expect(calls == 0, 1))
        calls = 0;
    assert(calls == 0);
}
