// A function without a body that gets a pointer could write what the property depends on.
#include <assert.h>
void update(int *p);
int x;
int main(void) {
    update(&x);
    assert(x == 0);
}
