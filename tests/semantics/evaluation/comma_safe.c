// A comma: left before right, the value is the right one's.
#include <assert.h>
int main(void) {
    int i = 0, j;
    j = (i = 3, i + 1);
    assert(j == 4);
    for (i = 0, j = 9; i < j; i++, j--) ;
    assert(i == 5 && j == 4);
}
