#include <assert.h>
int a[2], k = 1;
int main(void) {
    int x = a[k];
    assert(x == 7 && k == 2);
    return 0;
}
