// The size of a type of variable length.
// real: yes
#include <assert.h>
int main(void) {
    int n = 3;
    assert(sizeof(int[n]) == 12 && sizeof(int[n + 1][2]) == 32 && sizeof(char *[n]) == 24);
    int k = 1;
    assert(sizeof(short[k++]) == 2 && k == 2);
}
