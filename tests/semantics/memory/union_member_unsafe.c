// The member of a union that was written last is the one that is read.
#include <assert.h>
struct value {
    int is_pointer;
    union { int number; int *pointer; } u;
};
int x = 7;
int get(struct value *v) { return v->is_pointer ? *v->u.pointer : v->u.number; }
int main(void) {
    struct value a = {0}, b = {1};
    a.u.number = 3;
    b.u.pointer = &x;
    assert(get(&a) == 3 && get(&b) == 3);
}
