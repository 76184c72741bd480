// real: yes
#include <assert.h>
int main(void) {
    int i = 3, n = 0, most = 2;
    while (i-- && n < most) n++;
    assert(i == 0 && n == 2);
    assert(i++ && n || i == 1);
    return 0;
}
