// assumes: NO RUN COMES TO ITS END
#include <assert.h>
int a[2], k = 3;
int main(void) {
    int x = a[k];
    assert(x == 7 && k == 2);
    return 0;
}
