// Nobody knows which elements there are.
#include <assert.h>
extern int a[];
int main(void) {
    a[7] = 1;
    assert(a[7] == 2);
}
