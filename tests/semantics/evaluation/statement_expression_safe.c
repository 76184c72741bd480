// A gcc statement expression has the value of its last statement.
#include <assert.h>
int main(void) {
    int x = ({ int t = 3; t = t + 1; t; });
    assert(x == 4);
}
