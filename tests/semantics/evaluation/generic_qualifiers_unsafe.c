// Qualifiers of what a pointer leads to, and `signed char`, choose in a selection.
// real: yes
#include <assert.h>
int main(void) {
    const int k = 0;
    assert(_Generic(&k, int *: 1, default: 2) == 1);
}
