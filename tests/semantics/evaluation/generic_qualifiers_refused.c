// Of a member it is not known whether it is `signed char`.
#include <assert.h>
struct pair {
    signed char a;
    char b;
};
int main(void) {
    struct pair p = {0, 0};
    assert(_Generic(p.a, char: 1, signed char: 2) == 2);
}
