// The size of a type of variable length.
// real: yes
#include <assert.h>
int main(void) {
    int k = 1;
    assert(sizeof(short[k++]) == 2 && k == 1);
}
